package avif_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// rgba makes opaque RGBA of RGB, rgb leaves alpha out.
func rgba(rgb []byte) (list []byte) {
	for i := 0; i < len(rgb); i += 3 {
		list = append(append(list, rgb[i:i+3]...), 255)
	}
	return list
}

func rgb(rgba []byte) (list []byte) {
	for i := 0; i < len(rgba); i += 4 {
		list = append(list, rgba[i:i+3]...)
	}
	return list
}

func TestPixelsArePillows(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, read(t, name))
			h := d.Header()
			require.Equal(t, []int{want.Width, want.Height, len(want.Frames)}, []int{h.Width, h.Height, h.Frames})
			assert.Equal(t, want.Mode == "RGBA", h.Alpha)
			assert.Equal(t, want.Mode == "L", h.Gray && !h.Alpha)
			assert.Equal(t, h.Alpha, h.Channels() == 4)
			assert.Equal(t, want.Orientation, h.Orientation)
			assert.Len(t, h.ICC, want.ICC)
			for i, frame := range want.Frames {
				pixels, err := whole(t, d, i)
				require.NoError(t, err)
				other := rgba
				if h.Alpha {
					other = rgb
				}
				assert.ElementsMatch(t, []string{frame.RGB, frame.RGBA}, []string{digest(pixels), digest(other(pixels))}, "frame %d", i)
			}
		})
	}
}

// Frames are the same in whatever order they are asked for.
func TestFramesInAnyOrder(t *testing.T) {
	want := goldens(t)["sequence.avif"]
	d := open(t, read(t, "sequence.avif"))
	h := d.Header()
	assert.Equal(t, 200*time.Millisecond, h.Duration)
	for _, i := range []int{3, 0, 4, 4, 1, 2} {
		pixels, err := whole(t, d, i)
		require.NoError(t, err)
		assert.Equal(t, want.Frames[i].RGB, digest(pixels), "frame %d", i)
	}
}

// The rows of a part are those of the whole, wherever bands begin and end.
func TestRows(t *testing.T) {
	random := seed.Rand(t)
	for _, name := range []string{"420_full.avif", "422_limited.avif", "420a_limited.avif", "420_10bit.avif", "420_12bit.avif", "444_full.avif", "400_full.avif"} {
		d := open(t, read(t, name))
		h := d.Header()
		all, err := whole(t, d, 0)
		require.NoError(t, err)
		for range 20 {
			first := random.IntN(h.Height)
			last := first + 1 + random.IntN(h.Height-first)
			part := newTarget(t, h, first, last)
			require.NoError(t, decode(t, d, 0, part.o))
			part.close()
			require.Equal(t, all[first*h.Width*h.Channels():last*h.Width*h.Channels()], part.pixels, "%s: rows [%d, %d)", name, first, last)
		}
	}
}

// wide decodes to 16 bits.
func wide(t *testing.T, d *avif.Decoder) []uint16 {
	t.Helper()
	h := d.Header()
	plan := kernel.Plan{Width: h.Width, Height: h.Height, Channels: h.Channels(), Bits: 16, DType: spool.Uint16, Right: h.Width,
		H: kernel.Axis{In: h.Width, Out: h.Width}, V: kernel.Axis{In: h.Height, Out: h.Height},
		CanvasWidth: h.Width, CanvasHeight: h.Height, OutChannels: h.Channels(), Layout: spool.HWC}
	pixels := make([]byte, h.Width*h.Height*h.Channels()*2)
	sink, err := kernel.NewSink(&plan, pixels, make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	defer sink.Close()
	require.NoError(t, decode(t, d, 0, avif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height, Wide: true}))
	samples := make([]uint16, len(pixels)/2)
	for i := range samples {
		samples[i] = binary.NativeEndian.Uint16(pixels[2*i:])
	}
	return samples
}

// Samples of 16 bits have the whole range, and the low bits that 8 leave out. Gray shows it exactly: each
// is one of 1024 or 4096 levels, and rounded to 8 bits it is Pillow's.
func TestWide(t *testing.T) {
	for name, most := range map[string]float64{"400_10bit.avif": 1023, "400_12bit.avif": 4095} {
		d := open(t, read(t, name))
		narrow, err := whole(t, d, 0)
		require.NoError(t, err)
		for i, sample := range wide(t, d) {
			level := math.Round(float64(sample) / 65535 * most)
			require.InDelta(t, level/most*65535, float64(sample), 0.51, name)
			require.Equal(t, math.Round(level/most*255), float64(narrow[i]), name)
		}
	}
	for _, name := range []string{"420_10bit.avif", "422_12bit.avif", "444_12bit.avif", "444a_10bit.avif"} {
		d := open(t, read(t, name))
		narrow, err := whole(t, d, 0)
		require.NoError(t, err)
		low := 0
		for i, sample := range wide(t, d) {
			require.InDelta(t, float64(sample)/257, float64(narrow[i]), 4.5, "%s: sample %d", name, i)
			if sample%257 != 0 {
				low++
			}
		}
		assert.Greater(t, low, len(narrow)/2, name)
	}
}

func TestHeader(t *testing.T) {
	h := open(t, read(t, "metadata.avif")).Header()
	assert.True(t, strings.HasPrefix(string(h.ICC[36:]), "acsp"))
	assert.Contains(t, string(h.EXIF), "a picture")
	h = open(t, read(t, "420_12bit.avif")).Header()
	assert.Equal(t, 12, h.Bits)
	assert.Greater(t, h.Memory(), int64(40*150*3))
	assert.Regexp(t, `^\d+\.\d+\.\d+`, avif.Version())
}
