package webp_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench/floor"
	"github.com/spoolmedia/spool/cbridge/webp"
)

func TestPixelsAreTorchvisionsAndPillows(t *testing.T) {
	for name, want := range stills(t) {
		t.Run(name, func(t *testing.T) {
			data := read(t, name)
			h := header(t, data)
			assert.Equal(t, []int{want.Width, want.Height, 1}, []int{h.Width, h.Height, h.Frames})
			whole := webp.Report{Rows: want.Height, Fraction: 1}

			rgb, report, err := decode(t, data, webp.Options{}) // by way of planes, unless it is lossless
			require.NoError(t, err)
			assert.Equal(t, want.RGB, digest(rgb))
			assert.Equal(t, whole, report)

			rgb, report, err = decode(t, data, webp.Options{Channels: 3})
			require.NoError(t, err)
			assert.Equal(t, want.RGB, digest(rgb))
			assert.Equal(t, whole, report)

			rgba, report, err := decode(t, data, webp.Options{Channels: 4})
			require.NoError(t, err)
			assert.Equal(t, want.RGBA, digest(rgba))
			assert.Equal(t, whole, report)

			bare := make([]byte, len(rgb))
			require.NoError(t, floor.WebP(data, bare))
			assert.Equal(t, rgb, bare)
		})
	}
}

// Rows above are not delivered and rows below not decoded; interpolation of chroma looks across both borders.
func TestRowsAreThoseOfTheWholePicture(t *testing.T) {
	for name := range stills(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := read(t, name)
			h := header(t, data)
			for _, channels := range []int{0, 3, 4} {
				n := max(channels, 3)
				whole, _, err := decode(t, data, webp.Options{Channels: channels})
				require.NoError(t, err)
				for top := 0; top < h.Height; top += max(1, h.Height/37) {
					for _, bottom := range []int{top + 1, top + 2, top + 17, h.Height} {
						if bottom > h.Height {
							continue
						}
						rows, report, err := decodeRows(t, data, h, top, bottom, webp.Options{Channels: channels})
						require.NoError(t, err)
						require.GreaterOrEqual(t, report.Rows, bottom-top)
						require.Equal(t, digest(whole[top*h.Width*n:bottom*h.Width*n]), digest(rows), "rows [%d, %d)", top, bottom)
					}
				}
			}
		})
	}
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]webp.Header{
		"lossy.webp":             {Width: 41, Height: 93, Frames: 1},
		"lossless.webp":          {Width: 41, Height: 93, Frames: 1, Lossless: true},
		"alpha.webp":             {Width: 41, Height: 50, Frames: 1, Alpha: true},
		"alpha_lossless.webp":    {Width: 41, Height: 50, Frames: 1, Alpha: true, Lossless: true},
		"animated.webp":          {Width: 40, Height: 30, Frames: 3, Animated: true},
		"animated_lossless.webp": {Width: 40, Height: 30, Frames: 4, Loops: 3, Alpha: true, Animated: true},
	} {
		h := header(t, read(t, name))
		got := webp.Header{Width: h.Width, Height: h.Height, Alpha: h.Alpha, Lossless: h.Lossless, Animated: h.Animated, Frames: h.Frames, Loops: h.Loops}
		assert.Equal(t, want, got, name)
		assert.Nil(t, h.ICC)
		assert.Nil(t, h.EXIF)
	}
}

func TestMetadata(t *testing.T) {
	data := read(t, "metadata.webp")
	h := header(t, data)
	require.NotNil(t, h.ICC)
	assert.Equal(t, len(h.ICC), int(binary.BigEndian.Uint32(h.ICC)), "a profile begins with its size")
	assert.Equal(t, "acsp", string(h.ICC[36:40]))
	require.NotNil(t, h.EXIF)
	assert.Regexp(t, "^(Exif\x00\x00)?(II|MM)", string(h.EXIF[:8]))
	assert.Equal(t, 1, bytes.Count(data, h.EXIF))
	assert.False(t, h.Animated)
	assert.Equal(t, 1, h.Frames)
}

func TestVersion(t *testing.T) { assert.Regexp(t, `^\d+\.\d+\.\d+$`, webp.Version()) }
