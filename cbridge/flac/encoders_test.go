package flac_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/internal/need"
)

// music returns n samples per channel with depth bits, interleaved.
func music(n, channels, depth int) []int32 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(channels*depth)))
	x := make([]int32, 0, n*channels)
	at := make([]float64, channels)
	top := float64(int64(1)<<(depth-1) - 1)
	for i := range n {
		for c := range at {
			if c > 0 && i/1000%2 == 0 {
				at[c] = at[0]*0.9 + r.NormFloat64()*0.001
			} else {
				at[c] += r.NormFloat64() * 0.05
				at[c] *= 0.98
			}
			switch i / 3000 % 4 {
			case 1:
				x = append(x, int32(top/2))
			case 2:
				x = append(x, int32(top*(2*r.Float64()-1)))
			default:
				x = append(x, int32(top*max(-1, min(1, at[c]))))
			}
		}
	}
	return x
}

// decodeAll decodes a file to interleaved samples.
func decodeAll(t *testing.T, file []byte) (flac.Header, []int32) {
	t.Helper()
	h, d := newDecoder(t, file)
	var all []int32
	var first int64
	for data := file[h.Start:]; len(data) > 0; {
		f, reason := d.Decode(data, first)
		require.Equal(t, flac.Decoded, reason, "at sample %d", first)
		planes := make([][]byte, h.Channels)
		for c := range planes {
			planes[c] = plane(h, d, c, f.Samples)
		}
		for i := range f.Samples {
			for _, p := range planes {
				if h.Size() == 2 {
					all = append(all, int32(int16(binary.NativeEndian.Uint16(p[2*i:])))>>(16-h.Bits))
				} else {
					all = append(all, int32(binary.NativeEndian.Uint32(p[4*i:]))>>(32-h.Bits))
				}
			}
		}
		data, first = data[f.Bytes:], first+int64(f.Samples)
	}
	require.Equal(t, h.Samples, first)
	return h, all
}

// encoded encodes PCM with a command. The samples are written as little-endian.
func encoded(t *testing.T, pcm []int32, depth int, name string, arguments ...string) []byte {
	t.Helper()
	command := need.Command(t, name)
	var raw []byte
	for _, v := range pcm {
		switch {
		case depth <= 8:
			raw = append(raw, byte(v))
		case depth <= 16:
			raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
		case name == "flac" && depth <= 24:
			raw = append(raw, byte(v), byte(v>>8), byte(v>>16))
		default:
			raw = binary.LittleEndian.AppendUint32(raw, uint32(v)<<(32-depth)) // FFmpeg expects samples in the high bits
		}
	}
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.raw"), filepath.Join(folder, "out.flac")
	require.NoError(t, os.WriteFile(in, raw, 0o600))
	arguments = strings.Split(strings.NewReplacer("{in}", in, "{out}", out).Replace(strings.Join(arguments, " ")), " ")
	said, err := exec.CommandContext(t.Context(), command, arguments...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	return file
}

// The output of encoders is decoded to the original samples.
func TestEncoders(t *testing.T) {
	compare := func(name string, channels, depth int, command string, arguments ...string) {
		t.Run(name, func(t *testing.T) {
			pcm := music(20000, channels, depth)
			h, got := decodeAll(t, encoded(t, pcm, depth, command, arguments...))
			require.Equal(t, []int{channels, depth}, []int{h.Channels, h.Bits})
			require.Len(t, got, len(pcm))
			for i, v := range pcm {
				if got[i] != v {
					t.Fatalf("sample %d of channel %d is %d, was %d", i/channels, i%channels, got[i], v)
				}
			}
		})
	}
	ffmpeg := func(name string, channels, depth int, options string) {
		raw := map[int]string{16: "s16le", 24: "s32le"}[depth]
		arguments := fmt.Sprintf("-v error -f %s -ar 44100 -ac %d -i {in} -c:a flac %s {out}", raw, channels, options)
		compare("ffmpeg "+name, channels, depth, "ffmpeg", arguments)
	}
	for level := range 13 {
		ffmpeg(fmt.Sprint("level ", level), 2, 16, fmt.Sprint("-compression_level ", level))
		ffmpeg(fmt.Sprint("24 bits, level ", level), 2, 24, fmt.Sprint("-bits_per_raw_sample 24 -compression_level ", level))
	}
	for channels := 1; channels <= 8; channels++ {
		ffmpeg(fmt.Sprint(channels, " channels"), channels, 16+channels%2*8, "-bits_per_raw_sample 24")
	}
	for _, size := range []int{16, 192, 1000, 4608, 20000, 65535} {
		ffmpeg(fmt.Sprint("blocks of ", size), 2, 16, fmt.Sprint("-frame_size ", size))
	}
	for _, mode := range []string{"indep", "left_side", "right_side", "mid_side"} {
		ffmpeg(mode, 2, 16, "-ch_mode "+mode)
	}
	ffmpeg("cholesky", 2, 16, "-lpc_type cholesky -lpc_passes 3 -lpc_coeff_precision 15 -max_prediction_order 32")
	ffmpeg("fixed", 2, 16, "-lpc_type fixed -exact_rice_parameters 1")

	plain := func(name string, channels, depth int, options string) {
		arguments := fmt.Sprintf("-s -f --force-raw-format --endian=little --sign=signed --sample-rate=48000 --channels=%d "+
			"--bps=%d %s -o {out} {in}",
			channels, depth, options)
		compare("flac "+name, channels, depth, "flac", arguments)
	}
	for level := range 9 {
		for _, depth := range []int{8, 16, 24, 32} {
			plain(fmt.Sprintf("%d bits, level %d", depth, level), 2, depth, fmt.Sprint("-", level))
		}
	}
	for channels := 1; channels <= 8; channels++ {
		plain(fmt.Sprint(channels, " channels"), channels, 16, "-5")
	}
	plain("lax", 2, 16, "--lax -l 32 -b 65535 -r 0,15 -e -p -m")
	plain("lax 32 bits", 2, 32, "--lax -l 32 -b 3000 -r 0,15 -m")
	plain("adaptive", 2, 24, "-M -b 16 -l 0")
}
