package av_test

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/need"
)

// The weights equal the ffmpeg command's response to an impulse in each channel.
func TestDownmixIsTheCommands(t *testing.T) {
	ffmpeg := need.Command(t, "ffmpeg")
	for _, tt := range []struct {
		layout string
		in     int
	}{{"mono", 1}, {"stereo", 2}, {"2.1", 3}, {"quad", 4}, {"5.1", 6}, {"5.1(side)", 6}, {"7.1", 8}} {
		for _, out := range []int{1, 2, 6} {
			if out == tt.in {
				continue
			}
			for _, normalized := range []bool{false, true} {
				t.Run(tt.layout+" "+strconv.Itoa(out)+" "+strconv.FormatBool(normalized), func(t *testing.T) {
					got, err := av.Downmix(tt.layout, tt.in, out, normalized)
					require.NoError(t, err)
					format := "f32le"
					if normalized {
						format = "s32le"
					}
					expressions := make([]string, tt.in) // an impulse in channel c at sample c
					for c := range expressions {
						expressions[c] = fmt.Sprintf("0.5*eq(n\\,%d)", c)
					}
					raw, err := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-f", "lavfi", "-i",
						"aevalsrc="+strings.Join(expressions, "|")+":c="+tt.layout+":d=0.001", "-ac", strconv.Itoa(out), "-f", format,
						"-").Output()
					require.NoError(t, err)
					for c := range tt.in {
						for o := range out {
							assert.InDelta(t, got[o*tt.in+c], 2*sample(raw[4*(c*out+o):], normalized), 1e-6, "channel %d from %d", o, c)
						}
					}
				})
			}
		}
	}
}

// sample returns a 32-bit number, integer or float.
func sample(b []byte, integer bool) float64 {
	bits := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	if integer {
		return float64(int32(bits)) / (1 << 31)
	}
	return float64(math.Float32frombits(bits))
}

// FFmpeg 5.1 and 7.1 differ for top front channels, and for layouts that only one of them has. Downmix does not.
func TestDownmixIsOfNoVersion(t *testing.T) {
	got, err := av.Downmix("7.1.2", 10, 2, false)
	if err == nil { // FFmpeg 5.1 does not have the name
		assert.Equal(t, []float64{0, 0}, []float64{got[8], got[19]})
	}
	got, err = av.Downmix("", 16, 2, false) // FL FR FC BL BR BC SL SR, six top channels, WL WR
	require.NoError(t, err)
	h := math.Sqrt2 / 2
	assert.InDeltaSlice(t, []float64{
		1, 0, h, h, 0, 0.5, h, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 1, h, 0, h, 0.5, 0, h, 0, 0, 0, 0, 0, 0, 0, 0,
	}, got, 1e-9)
	_, err = av.Downmix("", 12, 2, false)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	got, err = av.Downmix("", 16, 24, false) // the output has the top channels
	require.NoError(t, err)
	assert.InDelta(t, 1, got[12*16+8], 1e-9)
}

func TestDownmixWithoutALayout(t *testing.T) {
	known, err := av.Downmix("stereo", 2, 1, true)
	require.NoError(t, err)
	for _, layout := range []string{"", "7.1", "no layout"} {
		got, err := av.Downmix(layout, 2, 1, true)
		require.NoError(t, err)
		assert.Equal(t, known, got)
	}
	_, err = av.Downmix("", 13, 1, false)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = av.Downmix("", 65, 1, false)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = av.Downmix("", 0, 1, false)
	require.ErrorIs(t, err, spool.ErrOptions)
}

// A frame has as many planes as its format defines, and they contain its samples.
func TestPlanes(t *testing.T) {
	for name, planes := range map[string]int{"stereo.mp3": 2, "six.flac": 1, "mono.wav": 1} {
		t.Run(name, func(t *testing.T) {
			c := enter(t, t.Context())
			in, err := av.Open(c, spool.File(filepath.Join("testdata", name)), av.InputOptions{})
			require.NoError(t, err)
			defer in.Close()
			parameters, err := in.Parameters(0)
			require.NoError(t, err)
			decoder, err := av.NewDecoder(c, parameters, av.DecoderOptions{})
			require.NoError(t, err)
			defer decoder.Close()
			packet, err := av.NewPacket()
			require.NoError(t, err)
			defer packet.Release()
			frame, err := av.NewFrame()
			require.NoError(t, err)
			defer frame.Release()
			for ok := false; !ok; {
				require.NoError(t, in.Read(c, packet))
				require.NoError(t, decoder.Send(c, packet))
				ok, err = decoder.Receive(c, frame)
				require.NoError(t, err)
			}
			got, err := frame.Planes(nil)
			require.NoError(t, err)
			assert.Len(t, got, planes)
			again, err := frame.Planes(got)
			require.NoError(t, err)
			assert.Equal(t, append(got, got...), again)
			assert.Equal(t, int(parameters.Channels), frame.Channels)
			assert.Positive(t, frame.Samples)
		})
	}
}

func TestLayoutName(t *testing.T) {
	assert.Equal(t, "stereo", av.LayoutName(3))
	assert.Equal(t, "5.1(side)", av.LayoutName(0x60f))
	assert.Equal(t, "2 channels (FL+LFE)", av.LayoutName(9))
	assert.Empty(t, av.LayoutName(0))
	assert.Empty(t, av.LayoutName(1<<64-1), "a name that is too long")
}
