package video_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
)

// bitWriter writes numbers as in ITU-T H.264, 7.2 and 9.1.
type bitWriter struct {
	bytes []byte
	n     int // bits in the last byte
}

func (w *bitWriter) u(bits int, value uint) {
	for i := bits - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.bytes, w.n = append(w.bytes, 0), 0
		}
		w.bytes[len(w.bytes)-1] |= byte(value>>i&1) << (7 - w.n)
		w.n++
	}
}

func (w *bitWriter) ue(values ...uint) {
	for _, v := range values {
		bits := 0
		for (v+1)>>bits > 1 {
			bits++
		}
		w.u(bits, 0)
		w.u(bits+1, v+1)
	}
}

func (w *bitWriter) align() { w.n = 8 }

// unit is a NAL unit with the bits and their end.
func (w *bitWriter) unit(header byte) []byte {
	w.u(1, 1)
	unit := []byte{0, 0, 0, 1, header}
	zeros := 0
	for _, b := range w.bytes {
		if zeros >= 2 && b <= 3 {
			unit, zeros = append(unit, 3), 0
		}
		unit = append(unit, b)
		if zeros++; b != 0 {
			zeros = 0
		}
	}
	return unit
}

// fields is an H.264 stream of 16x32 pixels whose frames are coded as two fields of one macroblock each; no encoder
// here makes such streams. Every gop-th frame is an IDR image and a P field. In other frames the second field, or both,
// or none are copies of earlier fields. Samples are uncompressed: see I_PCM.
func fields(frames, gop int) []byte {
	sps := &bitWriter{}
	sps.u(8, 77) // Main
	sps.u(8, 0)
	sps.u(8, 30)
	sps.ue(0, 0, 2, 1) // number, log2_max_frame_num 4, decoding order, one reference frame
	sps.u(1, 0)
	sps.ue(0, 0) // one macroblock wide, two high
	sps.u(1, 0)  // not frames only
	sps.u(1, 0)
	sps.u(1, 1)
	sps.u(2, 0)
	pps := &bitWriter{}
	pps.ue(0, 0)
	pps.u(2, 0)
	pps.ue(0, 0, 0)
	pps.u(3, 0)
	pps.ue(0, 0, 0) // quantizers, signed
	pps.u(3, 0)
	stream := append(sps.unit(0x67), pps.unit(0x68)...)
	for n := range frames {
		for bottom := range uint(2) {
			idr, copied := n%gop == 0 && bottom == 0, n%gop != 0 && n%3 == 1 || bottom == 1 && n%3 == 0
			s := &bitWriter{}
			s.ue(0, map[bool]uint{false: 7, true: 5}[copied], 0)
			s.u(4, uint(n%gop))
			s.u(1, 1) // a field
			s.u(1, bottom)
			if idr {
				s.ue(uint(n / gop % 2))
			}
			if copied {
				s.u(2, 0) // numbers and order of references
			}
			if idr {
				s.u(2, 0)
			} else {
				s.u(1, 0) // sliding window of references
			}
			s.ue(0) // quantizer
			if copied {
				s.ue(1) // a skipped macroblock
			} else {
				s.ue(25) // I_PCM
				s.align()
				for i := range 384 {
					s.u(8, uint(16+(7*n+100*int(bottom)+i/16*3)%200))
				}
				s.n = 8
			}
			header := byte(0x61)
			if idr {
				header = 0x65
			}
			stream = append(stream, s.unit(header)...)
		}
	}
	return stream
}

// A frame in two packets, one field each, is decoded from both into one frame, as with ffprobe and the ffmpeg command,
// in containers with and without time stamps.
func TestFieldsOfTheirOwn(t *testing.T) {
	need.Command(t, "ffmpeg")
	dir := t.TempDir()
	stream := filepath.Join(dir, "fields.h264")
	require.NoError(t, os.WriteFile(stream, fields(24, 6), 0o600))
	paths := []string{stream}
	for _, name := range []string{"fields.ts", "fields.mkv"} {
		paths = append(paths, filepath.Join(dir, name))
		out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-fflags", "+genpts", "-r", "25", "-i", stream,
			"-c", "copy", paths[len(paths)-1]).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	d := decodetest.New(t, decoders.Options{})
	for _, path := range paths {
		t.Run(filepath.Ext(path), func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			seconds := 0
			for _, p := range v.Index().Packets {
				if p.Flags&index.Field != 0 {
					seconds++
				}
			}
			want := raw(t, path, "rgb24", "-f", "rawvideo", "-")
			size := 16 * 32 * 3
			require.Equal(t, 24, len(want)/size, "the stream is as it should be")
			require.Equal(t, 24, v.Len())
			require.Equal(t, 24, seconds)
			for n, pts := range probed(t, path, 0) {
				if filepath.Ext(path) != ".h264" {
					require.InDelta(t, pts, v.Index().Time(n), 1e-6)
				}
			}
			rng := rand.New(rand.NewPCG(4, 4))
			for range 60 {
				ask := make([]int, 1+rng.IntN(4))
				for i := range ask {
					ask[i] = rng.IntN(24)
				}
				got, report := decodetest.Frames(t, v, ask, video.Spec{})
				for i, n := range ask {
					require.True(t, bytes.Equal(want[n*size:][:size], got[i*size:][:size]), "frame %d of %v", n, ask)
					require.Equal(t, video.Whole, report.Frames[i].State)
				}
			}
			for clip, err := range v.Chunks(ctx, 5, video.Spec{}) {
				require.NoError(t, err)
				first := clip.Frames[0].Index
				assert.True(t, bytes.Equal(want[first*size:][:clip.Len()], clip.Bytes()), fmt.Sprint(first))
				clip.Release()
			}
		})
	}
}
