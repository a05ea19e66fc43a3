package jp2_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
)

func TestPixelsArePillows(t *testing.T) {
	for name, want := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			data := lanetest.Read(t, name)
			h := header(t, data)
			require.Equal(t, [2]int{want.Width, want.Height}, [2]int{h.Width, h.Height})
			assert.Equal(t, want.Bits, h.Bits)
			assert.Len(t, h.ICC, want.ICC)
			rgb, err := whole(t, data, 3)
			require.NoError(t, err)
			assert.Equal(t, want.RGB, lanetest.Digest(rgb))
			rgba, err := whole(t, data, 4)
			require.NoError(t, err)
			assert.Equal(t, want.RGBA, lanetest.Digest(rgba))
			if h.Color != jp2.Gray {
				return
			}
			gray, err := whole(t, data, 1)
			require.NoError(t, err)
			for i, v := range gray {
				require.Equal(t, v, rgb[3*i])
			}
		})
	}
}

func TestWide(t *testing.T) {
	compared := 0
	for name, want := range lanetest.Goldens[golden](t) {
		if want.Wide == "" {
			continue
		}
		channels := 3
		if header(t, lanetest.Read(t, name)).Color == jp2.Gray {
			channels = 1
		}
		pixels, err := samples(t, lanetest.Read(t, name), part{}, channels, true)
		require.NoError(t, err, name)
		little := make([]byte, 0, len(pixels))
		for ; len(pixels) > 0; pixels = pixels[2:] {
			little = binary.LittleEndian.AppendUint16(little, binary.NativeEndian.Uint16(pixels))
		}
		assert.Equal(t, want.Wide, lanetest.Digest(little), name)
		compared++
	}
	assert.GreaterOrEqual(t, compared, 8)
}

// 16-bit output of YCbCr, inks and palettes equals the 8-bit output scaled, if the file has 8 bits.
func TestWideOfEight(t *testing.T) {
	for _, name := range []string{"rgb.jp2", "cmyk.jp2", "palette_rgba.jp2", "ycc420.jp2", "graya.jp2"} {
		narrow, err := whole(t, lanetest.Read(t, name), 4)
		require.NoError(t, err)
		wide, err := samples(t, lanetest.Read(t, name), part{}, 4, true)
		require.NoError(t, err)
		for i, v := range narrow {
			require.InDelta(t, float64(v), float64(binary.NativeEndian.Uint16(wide[2*i:]))/257, 2, "%s: sample %d", name, i)
		}
	}
}

func TestInks(t *testing.T) {
	data := lanetest.Read(t, "cmyk.jp2")
	h := header(t, data)
	to := newTarget(t, h, lanetest.All(h.Width, h.Height), 4, false)
	defer to.Close()
	to.o.Inks = true
	_, err := decode(t, h, to.o)
	require.NoError(t, err)
	assert.Equal(t, lanetest.Goldens[golden](t)["cmyk.jp2"].Inks, lanetest.Digest(to.Pixels))
}

// A crop of a large image has the pixels of the whole, whether it is decoded by tiles, as an area, or in bands. Small
// crops have the smallest margins.
func TestParts(t *testing.T) {
	random := seed.Rand(t)
	for _, name := range slices.Sorted(maps.Keys(lanetest.Goldens[golden](t))) {
		want := lanetest.Goldens[golden](t)[name]
		if want.Width < 400 { // TestLane covers their crops
			continue
		}
		data := lanetest.Read(t, name)
		all, err := whole(t, data, 3)
		require.NoError(t, err)
		compare := func(p part) {
			got, err := samples(t, data, p, 3, false)
			require.NoError(t, err, name)
			row := 3 * (p.Right - p.Left)
			for y := p.Top; y < p.Bottom; y++ {
				require.Equal(t, all[3*(y*want.Width+p.Left):][:row], got[(y-p.Top)*row:][:row], "%s: %v, row %d", name, p, y)
			}
		}
		const rounds, small = 3, 300
		for i := range rounds + small {
			p := part{Left: random.IntN(want.Width), Top: random.IntN(want.Height)}
			width, height := want.Width-p.Left, want.Height-p.Top
			if i >= rounds {
				width, height = min(width, 24), min(height, 24)
			}
			p.Right, p.Bottom = p.Left+1+random.IntN(width), p.Top+1+random.IntN(height)
			compare(p)
		}
	}
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]struct {
		color    jp2.Color
		alpha    bool
		channels int
	}{
		"gray.jp2": {jp2.Gray, false, 1}, "graya.jp2": {jp2.Gray, true, 2}, "rgb.j2k": {jp2.RGB, false, 3},
		"rgba.jp2":   {jp2.RGB, true, 4},
		"ycc420.jp2": {jp2.YCC, false, 3}, "ycca420.jp2": {jp2.YCC, true, 4}, "cmyk.jp2": {jp2.CMYK, false, 4},
		"palette.jp2": {jp2.Palette, false, 3}, "palette_rgba.jp2": {jp2.Palette, true, 4},
		"rgb_extra.jp2": {jp2.RGB, false, 3},
	} {
		h := header(t, lanetest.Read(t, name))
		assert.Equal(t, want.color, h.Color, name)
		assert.Equal(t, want.alpha, h.Alpha, name)
		assert.Equal(t, want.channels, h.Channels(), name)
		assert.Positive(t, h.Memory(), name)
	}
	assert.Regexp(t, `^\d+\.\d+\.\d+`, jp2.Version())
}
