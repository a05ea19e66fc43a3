package resize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/resize"
)

// If Size returns a size, plans have this size.
func TestSize(t *testing.T) {
	for _, spec := range []resize.Spec{
		{Width: 30, Height: 20},
		{Width: 30, Height: 20, Mode: resize.Fit},
		{Width: 30, Height: 20, Mode: resize.Cover},
		{Width: 30, Height: 20, CropWidth: 50, CropHeight: 7},
		{Shorter: 30, CropWidth: 20, CropHeight: 10},
		{CropWidth: 20, CropHeight: 10},
		{Box: resize.Rect{Width: 4, Height: 9}},
	} {
		width, height, ok := spec.Size()
		assert.True(t, ok, "%+v", spec)
		for _, in := range [][2]int{{10, 100}, {64, 48}} {
			p := plan(t, spec, in[0], in[1])
			assert.Equal(t, []int{p.OutWidth, p.OutHeight}, []int{width, height}, "%+v", spec)
		}
	}
	for _, spec := range []resize.Spec{{}, {Shorter: 30}, {Filter: resize.Box}} {
		_, _, ok := spec.Size()
		assert.False(t, ok, "%+v", spec)
	}
}
