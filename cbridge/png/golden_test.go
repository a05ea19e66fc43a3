package png_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	stdpng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestPixelsAreTorchvisionsAndPillows(t *testing.T) {
	var own int
	for name, want := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		h, err := png.ReadHeader(data)
		require.NoError(t, err)
		assert.Equal(t, []int{want.Width, want.Height}, []int{h.Width, h.Height}, name)

		rgb, report, err := decode(t, data, png.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, want.RGB, lanetest.Digest(rgb), name)
		assert.Equal(t, png.Report{Width: h.Width, Height: h.Height, Rows: h.Height, Fraction: 1, Libpng: h.Interlaced},
			report, name)
		if !report.Libpng {
			own++
		}
		if want.RGBA != "" {
			rgba, _, err := decode(t, data, png.Options{Channels: 4})
			require.NoError(t, err, name)
			assert.Equal(t, want.RGBA, lanetest.Digest(rgba), name)
		}
		if want.RGB16 != "" {
			rgb16, _, err := decode(t, data, png.Options{Bits: 16})
			require.NoError(t, err, name)
			assert.Equal(t, want.RGB16, lanetest.Digest(rgb16), name)
		}
	}
	assert.Greater(t, own, 30)
}

// Every combination of options gives the pixels of Go's own decoder.
func TestPixelsAreGosOwn(t *testing.T) {
	for name := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		img, err := stdpng.Decode(bytes.NewReader(data))
		require.NoError(t, err, name)
		h, err := png.ReadHeader(data)
		require.NoError(t, err)
		for _, o := range asked(h) {
			pixels, _, err := decode(t, data, o)
			require.NoError(t, err, "%s %+v", name, o)
			for i, want := range stored(img, o, h) {
				if want != pixels[i] {
					t.Fatalf("%s, %d channels, %d bits: byte %d is %d, want %d", name, o.Channels, o.Bits, i, pixels[i], want)
				}
			}
		}
	}
}

// asked returns all combinations of options for an image.
func asked(h png.Header) (all []png.Options) {
	for _, channels := range []int{1, 3, 4} {
		for _, bits := range []int{8, 16} {
			if channels == 1 && h.Color != png.Gray && h.Color != png.GrayAlpha || bits > h.Bits && bits == 16 {
				continue
			}
			all = append(all, png.Options{Channels: channels, Bits: bits})
		}
	}
	return all
}

// stored returns the bytes that the options ask for, from an image of Go's decoder, without alpha premultiplication.
func stored(img image.Image, o png.Options, h png.Header) (out []byte) {
	for y := range h.Height {
		for x := range h.Width {
			var c color.NRGBA64
			switch v := img.At(x, y).(type) {
			case color.NRGBA64:
				c = v
			case color.NRGBA:
				c = color.NRGBA64{R: uint16(v.R) * 257, G: uint16(v.G) * 257, B: uint16(v.B) * 257, A: uint16(v.A) * 257}
			default:
				r, g, b, a := v.RGBA() // opaque
				c = color.NRGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
			}
			for _, sample := range []uint16{c.R, c.G, c.B, c.A}[:o.Channels] {
				if o.Bits == 16 {
					out = binary.NativeEndian.AppendUint16(out, sample)
				} else {
					out = append(out, byte(sample>>8))
				}
			}
		}
	}
	return out
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]png.Header{
		"rgb8.png":          {Width: 33, Height: 21, Color: png.RGB, Bits: 8, Frames: 1},
		"gray1_adam7.png":   {Width: 33, Height: 21, Color: png.Gray, Bits: 1, Interlaced: true, Frames: 1},
		"palette4_trns.png": {Width: 33, Height: 21, Color: png.Palette, Bits: 4, Transparent: true, Frames: 1},
		"rgba16.png":        {Width: 33, Height: 21, Color: png.RGBA, Bits: 16, Frames: 1},
		"ga8.png":           {Width: 33, Height: 21, Color: png.GrayAlpha, Bits: 8, Frames: 1},
		"apng_rgba8.png":    {Width: 24, Height: 18, Color: png.RGBA, Bits: 8, Frames: 10, Animated: true},
		"apng_default.png": {Width: 24, Height: 18, Color: png.RGBA, Bits: 8, Frames: 6, Animated: true,
			DefaultImage: true},
		"apng_single.png": {Width: 24, Height: 18, Color: png.RGB, Bits: 8, Frames: 1},
		"apng_palette4_trns.png": {Width: 24, Height: 18, Color: png.Palette, Bits: 4, Transparent: true, Frames: 10,
			Animated: true},
	} {
		h, err := png.ReadHeader(lanetest.Read(t, name))
		require.NoError(t, err)
		assert.Equal(t, want, h, name)
		assert.Equal(t, strings.Contains(name, "rgba") || strings.Contains(name, "ga8") || strings.Contains(name, "trns") ||
			name == "apng_default.png", h.Alpha(), name)
	}
	assert.Equal(t, "palette", png.Palette.String())
	assert.Equal(t, "gray+alpha", png.GrayAlpha.String())
	for color, channels := range map[png.Color]int{png.Gray: 1, png.GrayAlpha: 2, png.RGB: 3, png.Palette: 3,
		png.RGBA: 4} {
		assert.Equal(t, channels, (&png.Header{Color: color}).Channels())
	}
	assert.Equal(t, 4, (&png.Header{Color: png.Palette, Transparent: true}).Channels())
}

func TestMetadata(t *testing.T) {
	h, err := png.ReadHeader(lanetest.Read(t, "chunks.png"))
	require.NoError(t, err)
	assert.Equal(t, "MM\x00*\x00\x00\x00\x08", string(h.EXIF[:8]))
	profile := h.Profile()
	require.Len(t, profile, 256*40)
	for i, b := range profile {
		require.EqualValues(t, i%256, b)
	}
	plain, err := png.ReadHeader(lanetest.Read(t, "rgb8.png"))
	require.NoError(t, err)
	assert.Nil(t, plain.Profile())
	assert.Nil(t, plain.EXIF)
}

func TestOneChannelOfColoursIsRefused(t *testing.T) {
	_, _, err := decode(t, lanetest.Read(t, "rgb8.png"), png.Options{Channels: 1})
	assert.ErrorIs(t, err, spool.ErrShape)
	_, _, err = decode(t, lanetest.Read(t, "palette8.png"), png.Options{Channels: 1})
	assert.ErrorIs(t, err, spool.ErrShape)
	_, _, err = decode(t, lanetest.Read(t, "rgb8.png"), png.Options{Bits: 16})
	assert.ErrorIs(t, err, spool.ErrShape)
}
