package av_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/internal/need"
)

// A real device decodes to the same samples as the CPU: the standards define them exactly. MPEG-2 alone leaves the
// rounding of the inverse DCT to the decoder (ISO/IEC 13818-2, Annex A).
func TestRealNVDEC(t *testing.T) {
	need.GPU(t)
	driver, err := cuda.Load("")
	require.NoError(t, err)
	device, err := driver.Open(0)
	require.NoError(t, err)
	defer device.Close()
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { assert.NoError(t, device.CloseStream(stream)) }()
	c := enter(t, t.Context())
	for _, test := range []struct {
		file     string
		fallback bool // no NVDEC decodes it
		optional bool // GPUs of the architectures before GA10x do not decode it, and Hopper does not
		off      int  // the largest difference of a sample
	}{
		{file: small + "bframes.mp4"},
		{file: small + "vfr.mp4"},
		{file: small + "turned.mp4"},
		{file: small + "deep.mp4", fallback: true},    // 10 bits
		{file: small + "opengop.mp4", fallback: true}, // under 144x144
		{file: small + "mpeg2.mpg", off: 2},
		{file: large + "h264.mp4"},
		{file: large + "hevc.mp4"},
		{file: large + "hevc10.mp4"},
		{file: large + "vp9.webm"},
		{file: large + "vp9-10.webm"},
		{file: large + "av1.mkv", optional: true},
		{file: large + "av1-10.mkv", optional: true},
	} {
		t.Run(test.file, func(t *testing.T) {
			plain := decode(t, c, open(t, c, spool.File(test.file), av.InputOptions{}), av.Video, av.DecoderOptions{})
			require.NotEqual(t, "av1", plain.decoder.Name(), "FFmpeg's own AV1 decoder needs a device")
			on := decode(t, c, open(t, c, spool.File(test.file), av.InputOptions{}), av.Video,
				av.DecoderOptions{CUDA: av.CUDA{Context: device.Handle(), Stream: uintptr(stream), Held: 2}})
			frames, off := 0, 0
			for ; plain.next(); frames++ {
				require.True(t, on.next(), "frame %d", frames)
				require.Equal(t, plain.frame.PTS, on.frame.PTS)
				s, ok := on.frame.Surface()
				if !test.optional {
					require.Equal(t, !test.fallback, ok, "%v", on.decoder.Fallback())
				}
				if !ok {
					require.ErrorIs(t, on.decoder.Fallback(), spool.ErrDevice)
					continue
				}
				h := plain.frame.Height
				got := make([]byte, h*s.Pitch*3/2)
				require.NoError(t, device.ToHost(got[:h*s.Pitch], cuda.Pointer(s.Luma), stream))
				require.NoError(t, device.ToHost(got[h*s.Pitch:], cuda.Pointer(s.Chroma), stream))
				require.NoError(t, device.Finish(stream))
				off = max(off, farthest(hostPlanes(t, c, plain.frame, s), got, s))
			}
			assert.False(t, on.next())
			assert.Positive(t, frames)
			assert.LessOrEqual(t, off, test.off, "the largest difference of a sample")
			t.Logf("%d frames of %s, fallback: %v", frames, plain.decoder.Name(), on.decoder.Fallback())
		})
	}
}

const large = "testdata/nvdec/"

// hostPlanes returns a frame's planes as on a surface: luma, then pairs of chroma, deep samples in the high bits.
func hostPlanes(t *testing.T, c *call.Call, f *av.Frame, s av.Surface) []byte {
	t.Helper()
	layout, ok := f.PixelFormat.Planes()
	require.True(t, ok)
	planes := make([]byte, layout.Samples(f.Width, f.Height)*sampleBytes(s))
	require.NoError(t, f.CopyPlanes(c, planes, true))
	return planes
}

// farthest returns the largest difference of a sample between planes without gaps and planes of a surface.
func farthest(dense, pitched []byte, s av.Surface) (off int) {
	width := len(dense) * s.Pitch / len(pitched) // bytes of a row
	for y := range len(dense) / width {
		want, got := dense[y*width:(y+1)*width], pitched[y*s.Pitch:]
		for x := 0; x < width; x += sampleBytes(s) {
			a, b := int(want[x]), int(got[x])
			if sampleBytes(s) == 2 {
				a, b = int(binary.LittleEndian.Uint16(want[x:])), int(binary.LittleEndian.Uint16(got[x:]))
			}
			off = max(off, a-b, b-a)
		}
	}
	return off
}

func sampleBytes(s av.Surface) int {
	if s.Bits > 8 {
		return 2
	}
	return 1
}
