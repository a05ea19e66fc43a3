package av_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/internal/need"
)

// A real device decodes to the same samples as the CPU: the standards define them exactly.
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
	decoded := 0
	for _, file := range []string{"bframes.mp4", "opengop.mp4", "altref.webm", "av1.mkv", "deep.mp4", "hdr.mp4",
		"mpeg2.mpg", "vfr.mp4", "turned.mp4"} {
		t.Run(file, func(t *testing.T) {
			plain := decode(t, c, open(t, c, spool.File(small+file), av.InputOptions{}), av.Video, av.DecoderOptions{})
			if plain.decoder.Name() == "av1" {
				t.Skip("FFmpeg's own AV1 decoder needs a device: there is nothing to compare with")
			}
			on := decode(t, c, open(t, c, spool.File(small+file), av.InputOptions{}), av.Video,
				av.DecoderOptions{CUDA: av.CUDA{Context: device.Handle(), Stream: uintptr(stream), Held: 2}})
			frames := 0
			for ; plain.next(); frames++ {
				require.True(t, on.next(), "frame %d", frames)
				require.Equal(t, plain.frame.PTS, on.frame.PTS)
				s, ok := on.frame.Surface()
				if !ok {
					need.Skip(t, need.Device, "%v", on.decoder.Fallback())
				}
				luma := make([]byte, plain.frame.Height*s.Pitch)
				require.NoError(t, device.ToHost(luma, cuda.Pointer(s.Luma), stream))
				require.NoError(t, device.Finish(stream))
				require.Equal(t, lumaOf(t, plain.frame, s), shorten(luma, plain.frame, s), "frame %d", frames)
			}
			assert.False(t, on.next())
			assert.Positive(t, frames)
			decoded++
		})
	}
	assert.Positive(t, decoded)
}

// width returns the bytes of a row of luma on a surface.
func width(f *av.Frame, s av.Surface) int {
	if s.Bits > 8 {
		return 2 * f.Width
	}
	return f.Width
}

// shorten removes the padding between rows.
func shorten(luma []byte, f *av.Frame, s av.Surface) (rows []byte) {
	for y := range f.Height {
		rows = append(rows, luma[y*s.Pitch:y*s.Pitch+width(f, s)]...)
	}
	return rows
}

// lumaOf returns a frame's luma in the format of a surface: deep samples in the high bits.
func lumaOf(t *testing.T, f *av.Frame, s av.Surface) []byte {
	t.Helper()
	layout, ok := f.PixelFormat.Planes()
	require.True(t, ok)
	planes := make([]byte, layout.Samples(f.Width, f.Height)*width(f, s)/f.Width)
	require.NoError(t, f.CopyPlanes(enter(t, t.Context()), planes, true))
	return planes[:f.Height*width(f, s)]
}
