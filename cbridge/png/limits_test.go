package png_test

import (
	"bytes"
	"encoding/binary"
	"image"
	stdpng "image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/stoptest"
)

// If a header claims more rows than the file has, decoding costs only the actual rows.
func TestBombCostsNothing(t *testing.T) {
	data := bytes.Clone(lanetest.Read(t, "one_chunk.png"))
	binary.BigEndian.PutUint32(data[16:], 60000)
	binary.BigEndian.PutUint32(data[20:], 60000)
	data = mutate.Sealed(data)
	row := make([]byte, 60000*3)
	report, err := run(t, data, png.Options{Dst: row, Last: 1, MaxMemory: 2 << 20})
	assert.ErrorIs(t, err, spool.ErrCorrupt, "its pixels are not enough")
	assert.True(t, report.Libpng, "it is too large to be inflated in one piece")
	_, err = run(t, data, png.Options{Dst: row, Last: 1, MaxMemory: 100 << 10})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	data[28] = 1 // interlaced
	_, err = run(t, mutate.Sealed(data), png.Options{Dst: row, Last: 1})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

// With little memory, libpng gives the same rows.
func TestLargeImagesAreStreamed(t *testing.T) {
	for name := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		want, report, err := decode(t, data, png.Options{})
		require.NoError(t, err)
		h, err := png.ReadHeader(data)
		require.NoError(t, err)
		limit := h.Memory()
		got, streamed, err := decode(t, data, png.Options{MaxMemory: limit})
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		if !h.Interlaced {
			assert.False(t, report.Libpng)
		}
		report.Libpng, streamed.Libpng = false, false
		assert.Equal(t, report, streamed)
	}
	img := image.NewGray(image.Rect(0, 0, 3000, 200))
	for i := range img.Pix {
		img.Pix[i] = byte(i * i >> 7)
	}
	var file bytes.Buffer
	require.NoError(t, stdpng.Encode(&file, img))
	got, report, err := decode(t, file.Bytes(), png.Options{Channels: 1, MaxMemory: 500_000})
	require.NoError(t, err)
	assert.True(t, report.Libpng)
	assert.Equal(t, img.Pix, got)
}

// Cancellation also stops streamed images and animations.
func TestEndedContextStopsDecoding(t *testing.T) {
	c := lanetest.Ended(t, false)
	_, err := png.Decode(c, lanetest.Read(t, "rgb8.png"), png.Options{Dst: make([]byte, 33*21*3), MaxMemory: 140 << 10})
	assert.ErrorIs(t, err, spool.ErrCanceled)
	_, err = open(t, lanetest.Read(t, "apng_rgba8.png")).Next(c, png.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// likePhoto returns an image that deflates like photos.
func likePhoto(width, height int) *image.RGBA {
	random := rand.New(rand.NewPCG(5, 6))
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(i/4%width*200/width + random.IntN(12))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func TestStopsSoon(t *testing.T) {
	img := likePhoto(700, 500)
	var file bytes.Buffer
	require.NoError(t, stdpng.Encode(&file, img))
	dst := make([]byte, len(img.Pix)/4*3)
	for name, o := range map[string]png.Options{"own": {Dst: dst}, "libpng": {Dst: dst, MaxMemory: 500_000}} {
		t.Run(name, func(t *testing.T) {
			stoptest.Soon(t, func(looks int32) error {
				_, err := lanetest.Within(t, looks,
					func(c *call.Call) (png.Report, error) { return png.Decode(c, file.Bytes(), o) })
				return err
			})
		})
	}
}
