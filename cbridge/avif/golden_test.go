package avif_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// rgba adds an opaque alpha channel to RGB. rgb removes alpha.
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
	for name, want := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, lanetest.Read(t, name))
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
				assert.ElementsMatch(t, []string{frame.RGB, frame.RGBA},
					[]string{lanetest.Digest(pixels), lanetest.Digest(other(pixels))}, "frame %d", i)
			}
		})
	}
}

// Frames do not depend on the order of decoding.
func TestFramesInAnyOrder(t *testing.T) {
	want := lanetest.Goldens[golden](t)["sequence.avif"]
	d := open(t, lanetest.Read(t, "sequence.avif"))
	h := d.Header()
	assert.Equal(t, 200*time.Millisecond, h.Duration)
	for _, i := range []int{3, 0, 4, 4, 1, 2} {
		pixels, err := whole(t, d, i)
		require.NoError(t, err)
		assert.Equal(t, want.Frames[i].RGB, lanetest.Digest(pixels), "frame %d", i)
	}
}

// wide decodes to 16 bits.
func wide(t *testing.T, d *avif.Decoder) []uint16 {
	t.Helper()
	h := d.Header()
	target := lanetest.NewTarget(t, h.Width, h.Height, lanetest.Form{Channels: h.Channels(), Bits: 16},
		lanetest.All(h.Width, h.Height))
	defer target.Close()
	require.NoError(t, decode(t, d, 0,
		avif.Options{Sink: target.Sink.Pointer(), Width: h.Width, Height: h.Height, Wide: true}))
	samples := make([]uint16, len(target.Pixels)/2)
	for i := range samples {
		samples[i] = binary.NativeEndian.Uint16(target.Pixels[2*i:])
	}
	return samples
}

// 16-bit samples have the full range, and the low bits that 8-bit samples lack. Gray images show it exactly: each
// sample is one of 1024 or 4096 levels, and equals Pillow's sample when rounded to 8 bits.
func TestWide(t *testing.T) {
	for name, most := range map[string]float64{"400_10bit.avif": 1023, "400_12bit.avif": 4095} {
		d := open(t, lanetest.Read(t, name))
		narrow, err := whole(t, d, 0)
		require.NoError(t, err)
		for i, sample := range wide(t, d) {
			level := math.Round(float64(sample) / 65535 * most)
			require.InDelta(t, level/most*65535, float64(sample), 0.51, name)
			require.Equal(t, math.Round(level/most*255), float64(narrow[i]), name)
		}
	}
	for _, name := range []string{"420_10bit.avif", "422_12bit.avif", "444_12bit.avif", "444a_10bit.avif"} {
		d := open(t, lanetest.Read(t, name))
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
	h := open(t, lanetest.Read(t, "metadata.avif")).Header()
	assert.True(t, strings.HasPrefix(string(h.ICC[36:]), "acsp"))
	assert.Contains(t, string(h.EXIF), "a picture")
	h = open(t, lanetest.Read(t, "420_12bit.avif")).Header()
	assert.Equal(t, 12, h.Bits)
	assert.Greater(t, h.Memory(), int64(40*150*3))
	assert.Regexp(t, `^\d+\.\d+\.\d+`, avif.Version())
}
