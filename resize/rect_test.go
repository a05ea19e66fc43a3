package resize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// cut is a part of a picture; what is beyond the picture is pad.
func cut(in picture, box resize.Rect, pad [3]uint8) picture {
	out := newPicture(box.Width, box.Height, in.channels)
	for y := range box.Height {
		for x := range box.Width {
			for c := range in.channels {
				out.at(x, y)[c] = pad[c%3]
			}
			if sx, sy := box.Left+x, box.Top+y; sx >= 0 && sy >= 0 && sx < in.width && sy < in.height {
				copy(out.at(x, y), in.at(sx, sy))
			}
		}
	}
	return out
}

// A box gives what a picture that is cut to it first gives, in every mode.
func TestBoxIsACropBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	in := content("noise", 3, 71, 53, 3)
	for range 400 {
		box := resize.Rect{Width: 1 + r.IntN(in.width), Height: 1 + r.IntN(in.height)}
		box.Left, box.Top = r.IntN(in.width-box.Width+1), r.IntN(in.height-box.Height+1)
		spec := []resize.Spec{
			{},
			{Width: 20, Height: 31},
			{Width: 31, Height: 20, Mode: resize.Fit},
			{Width: 31, Height: 20, Mode: resize.Cover},
			{Shorter: 1 + r.IntN(30), CropWidth: 16, CropHeight: 9},
			{CropWidth: 30, CropHeight: 20},
		}[r.IntN(6)]
		spec.Filter, spec.PadColor = resize.Filter(r.IntN(5)), [3]uint8{1, 2, 3}
		want := render(plan(t, spec, box.Width, box.Height), cut(in, box, spec.PadColor), spec.PadColor)
		spec.Box = box
		p := plan(t, spec, in.width, in.height)
		checkPlan(t, p, in.width, in.height)
		require.GreaterOrEqual(t, p.Left, box.Left)
		require.LessOrEqual(t, p.Bottom, box.Top+box.Height)
		require.Equal(t, want, render(p, in, spec.PadColor), "%+v", spec)
	}
}

func TestOverhang(t *testing.T) {
	in := content("noise", 3, 21, 13, 3)
	for left := -9; left < in.width; left += 3 {
		for top := -7; top < in.height; top += 2 {
			spec := resize.Spec{Box: resize.Rect{Left: left, Top: top, Width: 10, Height: 8}, Overhang: true, PadColor: [3]uint8{9, 8, 7}}
			p := plan(t, spec, in.width, in.height)
			checkPlan(t, p, in.width, in.height)
			require.Equal(t, cut(in, spec.Box, spec.PadColor), render(p, in, spec.PadColor), "%v", spec.Box)
			require.Equal(t, resize.Region{Left: float64(left), Top: float64(top), Width: 10, Height: 8}, p.Region)
			spec.Width, spec.Height, spec.Mode = 10, 8, resize.Fit // which changes nothing
			require.Equal(t, p, plan(t, spec, in.width, in.height))
		}
	}
}

func TestFlipsMirrorTheCanvas(t *testing.T) {
	in := content("noise", 3, 21, 13, 3)
	spec := resize.Spec{Box: resize.Rect{Left: -2, Top: 5, Width: 10, Height: 9}, Overhang: true}
	want := render(plan(t, spec, in.width, in.height), in, spec.PadColor)
	spec.FlipX, spec.FlipY = true, true
	got := render(plan(t, spec, in.width, in.height), in, spec.PadColor)
	for y := range want.height {
		for x := range want.width {
			require.Equal(t, want.at(x, y), got.at(want.width-1-x, want.height-1-y))
		}
	}
}

// A corner of the canvas lies where Region says.
func TestRegion(t *testing.T) {
	box := resize.Rect{Left: 40, Top: 30, Width: 300, Height: 200}
	for _, c := range []struct {
		spec resize.Spec
		want resize.Region
	}{
		{resize.Spec{}, resize.Region{Width: 500, Height: 375}},
		{resize.Spec{Width: 224, Height: 224}, resize.Region{Width: 500, Height: 375}},
		{resize.Spec{Width: 224, Height: 224, Box: box}, resize.Region{Left: 40, Top: 30, Width: 300, Height: 200}},
		{resize.Spec{Width: 100, Height: 100, Mode: resize.Cover}, resize.Region{Left: 62.5, Width: 375, Height: 375}},
		{resize.Spec{Width: 100, Height: 100, Mode: resize.Cover, Box: box}, resize.Region{Left: 90, Top: 30, Width: 200, Height: 200}},
		{resize.Spec{Width: 100, Height: 100, Mode: resize.Fit}, resize.Region{Top: -60, Width: 500, Height: 500}}, // 75 rows, 12 above
		{resize.Spec{CropWidth: 600, CropHeight: 75}, resize.Region{Left: -50, Top: 150, Width: 600, Height: 75}},
		{resize.Spec{Shorter: 75, CropWidth: 50, CropHeight: 50}, resize.Region{Left: 125, Top: 60, Width: 250, Height: 250}},
	} {
		p := plan(t, c.spec, 500, 375)
		assert.Equal(t, c.want, p.Region, "%+v", c.spec)
	}
}

func TestBoxOutsideIsRefused(t *testing.T) {
	for _, c := range []struct {
		spec resize.Spec
		text string
	}{
		{resize.Spec{Box: resize.Rect{Left: 1, Width: 100, Height: 10}}, "box 100x10+1+0 is not in a picture of 100x80"},
		{resize.Spec{Box: resize.Rect{Top: 71, Width: 10, Height: 10}, Width: 5, Height: 5}, "box 10x10+0+71 is not in"},
		{resize.Spec{Box: resize.Rect{Left: math.MaxInt, Width: 10, Height: 10}}, "is not in a picture"},
		{resize.Spec{Box: resize.Rect{Width: math.MaxInt, Height: 10}}, "is not in a picture"},
		{resize.Spec{Box: resize.Rect{Left: -10, Width: 10, Height: 10}, Overhang: true}, "box 10x10-10+0 is not in"},
		{resize.Spec{Box: resize.Rect{Left: math.MinInt, Width: 10, Height: 10}, Overhang: true}, "is not in a picture"},
		{resize.Spec{Box: resize.Rect{Left: math.MaxInt, Width: 10, Height: 10}, Overhang: true}, "is not in a picture"},
		{resize.Spec{Box: resize.Rect{Top: 80, Width: 10, Height: 10}, Overhang: true}, "is not in a picture"},
	} {
		_, err := c.spec.Plan(100, 80, nil)
		assert.ErrorIs(t, err, spool.ErrShape)
		assert.ErrorContains(t, err, c.text)
	}
}
