package image_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// The crops of an image are parts of the resized image: python/tests/peers holds them to torchvision's.
func TestCrops(t *testing.T) {
	d := decodetest.New(t, decoders.Options{}).Images
	data, err := os.ReadFile("../../testdata/hard/good/progressive.jpg")
	require.NoError(t, err)
	file := spool.Bytes{Data: data}
	spec := image.Spec{Resize: resize.Spec{Width: 40, Height: 30, CropWidth: 16, CropHeight: 12}, Crops: resize.TenCrops}
	whole, _, err := d.Decode(t.Context(), file, image.Spec{Resize: resize.Spec{Width: 40, Height: 30}})
	require.NoError(t, err)
	defer whole.Release()
	got, report, err := d.Decode(t.Context(), file, spec)
	require.NoError(t, err)
	defer got.Release()
	desc, fixed := spec.Sample()
	require.True(t, fixed)
	assert.Equal(t, spool.Shape{10, 12, 16, 3}, desc.Shape)
	assert.Equal(t, spool.NHWC, desc.Layout)
	assert.Equal(t, desc, report.Desc)
	assert.Equal(t, desc, got.Desc())
	for i, at := range [][2]int{{0, 0}, {24, 0}, {0, 18}, {24, 18}, {12, 9}} {
		crop := got.Bytes()[i*16*12*3:][:16*12*3]
		back := [...]int{1, 0, 3, 2, 4}[i] // the mirrored crop of the same place
		mirrored := got.Bytes()[(back+5)*16*12*3:][:16*12*3]
		for y := range 12 {
			row := whole.Bytes()[((at[1]+y)*40+at[0])*3:][:16*3]
			require.Equal(t, row, crop[y*16*3:][:16*3], "crop %d, row %d", i, y)
			for x := range 16 {
				require.Equal(t, row[x*3:][:3], mirrored[(y*16+15-x)*3:][:3], "crop %d, row %d", back+5, y)
			}
		}
	}
	blank := make([]byte, 10*12*16*3)
	require.NoError(t, d.Blank(t.Context(), blank, spec))
	assert.Equal(t, byte(0x80), blank[len(blank)-1])

	spec.Resize.CropWidth = 41
	_, _, err = d.Decode(t.Context(), file, spec)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = d.DecodeInto(t.Context(), file, make([]byte, 3), spec)
	assert.ErrorIs(t, err, spool.ErrShape)
	_, _, err = d.DecodeFrames(t.Context(), file, spec, 1)
	assert.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, image.Spec{Crops: resize.FiveCrops}.Validate(), "Crops")
}
