package webp_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestPixelsAreTorchvisionsAndPillows(t *testing.T) {
	for name, want := range stills(t) {
		t.Run(name, func(t *testing.T) {
			data := lanetest.Read(t, name)
			h := header(t, data)
			assert.Equal(t, []int{want.Width, want.Height, 1}, []int{h.Width, h.Height, h.Frames})
			whole := webp.Report{Rows: want.Height, Fraction: 1}

			rgb, report, err := decode(t, data, webp.Options{}) // through planes, unless it is lossless
			require.NoError(t, err)
			assert.Equal(t, want.RGB, lanetest.Digest(rgb))
			assert.Equal(t, whole, report)

			rgb, report, err = decode(t, data, webp.Options{Channels: 3})
			require.NoError(t, err)
			assert.Equal(t, want.RGB, lanetest.Digest(rgb))
			assert.Equal(t, whole, report)

			rgba, report, err := decode(t, data, webp.Options{Channels: 4})
			require.NoError(t, err)
			assert.Equal(t, want.RGBA, lanetest.Digest(rgba))
			assert.Equal(t, whole, report)

			bare := make([]byte, len(rgb))
			require.NoError(t, floor.WebP(data, bare))
			assert.Equal(t, rgb, bare)
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
		h := header(t, lanetest.Read(t, name))
		got := webp.Header{Width: h.Width, Height: h.Height, Alpha: h.Alpha, Lossless: h.Lossless, Animated: h.Animated,
			Frames: h.Frames, Loops: h.Loops}
		assert.Equal(t, want, got, name)
		assert.Nil(t, h.ICC)
		assert.Nil(t, h.EXIF)
	}
}

func TestMetadata(t *testing.T) {
	data := lanetest.Read(t, "metadata.webp")
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
