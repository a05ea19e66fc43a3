package resize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

// ramp returns an image of width x height whose values at a relative position are the same at every size. One channel
// increases to the right and the other downwards.
func ramp(width, height int) image {
	p := newImage(width, height, 2)
	for y := range height {
		for x := range width {
			px := p.at(x, y)
			px[0] = byte(250 * (float64(x) + 0.5) / float64(width))
			px[1] = byte(250 * (float64(y) + 0.5) / float64(height))
		}
	}
	return p
}

// An image that is delivered smaller shows the same area of itself.
func TestPlanShrunk(t *testing.T) {
	const width, height = 500, 375
	for _, spec := range []resize.Spec{
		{Width: 100, Height: 90},
		{Width: 100, Height: 90, Mode: resize.Cover},
		{Width: 100, Height: 90, Mode: resize.Fit},
		{Shorter: 100, CropWidth: 60, CropHeight: 70, FlipX: true},
		{Width: 50, Height: 40, Box: resize.Rect{Left: 200, Top: 101, Width: 201, Height: 133}},
	} {
		want := plan(t, spec, width, height)
		for _, in := range [][2]int{{width, height}, {250, 188}, {167, 125}, {125, 94}, {300, 350}} {
			got, err := spec.PlanShrunk(width, height, in[0], in[1], nil)
			require.NoError(t, err)
			checkPlan(t, got, in[0], in[1])
			assert.Equal(t, want.Region, got.Region)
			assert.Equal(t, []int{want.OutWidth, want.OutHeight, want.X, want.Y, want.W, want.H},
				[]int{got.OutWidth, got.OutHeight, got.X, got.Y, got.W, got.H})
			exact, fast := render(want, ramp(width, height), [3]uint8{}), render(got, ramp(in[0], in[1]), [3]uint8{})
			for i, v := range exact.pixels {
				require.InDelta(t, v, fast.pixels[i], 3, "%+v from %v", spec, in)
			}
		}
	}
	whole, err := resize.Spec{Width: 100, Height: 75}.PlanShrunk(width, height, 100, 75, nil)
	require.NoError(t, err)
	assert.Nil(t, whole.Horizontal.Start, "nothing is left to do")
	assert.Nil(t, whole.Vertical.Start)
}
