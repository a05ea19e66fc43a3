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

// cut returns a crop of an image; outside the image it is pad.
func cut(in image, box resize.Rect, pad [3]uint8) image {
	out := newImage(box.Width, box.Height, in.channels)
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

// In every mode, a box gives the result of an image that is cropped to it first.
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

// middle is the start of torchvision's CenterCrop: Python's round rounds halves to even.
func middle(side, crop int) int { return int(math.RoundToEven(float64(side-crop) / 2)) }

// A crop with an offset is a crop of the whole resize, with padding outside the image.
func TestMovedCrop(t *testing.T) {
	in, pad := content("noise", 3, 21, 13, 3), [3]uint8{9, 8, 7}
	for _, shorter := range []int{0, 26} {
		whole := render(plan(t, resize.Spec{Shorter: shorter}, in.width, in.height), in, pad)
		for left := -9; left < whole.width; left += 3 {
			for top := -7; top < whole.height; top += 2 {
				spec := resize.Spec{Shorter: shorter, CropWidth: 10, CropHeight: 8, PadColor: pad,
					CropRight: left - middle(whole.width, 10), CropDown: top - middle(whole.height, 8)}
				p := plan(t, spec, in.width, in.height)
				checkPlan(t, p, in.width, in.height)
				require.Equal(t, cut(whole, resize.Rect{Left: left, Top: top, Width: 10, Height: 8}, pad), render(p, in, pad))
				if shorter == 0 {
					require.Equal(t, resize.Region{Left: float64(left), Top: float64(top), Width: 10, Height: 8}, p.Region)
				}
			}
		}
	}
	for _, move := range [][2]int{{16, 0}, {-16, 0}, {0, 11}, {0, -10}, {resize.MaxEdge, 0}} {
		_, err := resize.Spec{CropWidth: 10, CropHeight: 8, CropRight: move[0], CropDown: move[1]}.Plan(21, 13, nil)
		require.ErrorIs(t, err, spool.ErrShape)
		require.ErrorContains(t, err, "misses an image of 21x13")
	}
}

func TestFlipsMirrorTheCanvas(t *testing.T) {
	in := content("noise", 3, 21, 13, 3)
	spec := resize.Spec{CropWidth: 10, CropHeight: 9, CropRight: -8}
	want := render(plan(t, spec, in.width, in.height), in, spec.PadColor)
	spec.FlipX, spec.FlipY = true, true
	got := render(plan(t, spec, in.width, in.height), in, spec.PadColor)
	for y := range want.height {
		for x := range want.width {
			require.Equal(t, want.at(x, y), got.at(want.width-1-x, want.height-1-y))
		}
	}
}

// The corners of the canvas are at the positions that Region defines.
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
		{resize.Spec{Width: 100, Height: 100, Mode: resize.Cover, Box: box},
			resize.Region{Left: 90, Top: 30, Width: 200, Height: 200}},
		// 75 rows, 12 above.
		{resize.Spec{Width: 100, Height: 100, Mode: resize.Fit}, resize.Region{Top: -60, Width: 500, Height: 500}},
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
		{resize.Spec{Box: resize.Rect{Left: 1, Width: 100, Height: 10}}, "box 100x10+1+0 is not in an image of 100x80"},
		{resize.Spec{Box: resize.Rect{Top: 71, Width: 10, Height: 10}, Width: 5, Height: 5}, "box 10x10+0+71 is not in"},
		{resize.Spec{Box: resize.Rect{Left: math.MaxInt, Width: 10, Height: 10}}, "is not in an image"},
		{resize.Spec{Box: resize.Rect{Width: math.MaxInt, Height: 10}}, "is not in an image"},
	} {
		_, err := c.spec.Plan(100, 80, nil)
		assert.ErrorIs(t, err, spool.ErrShape)
		assert.ErrorContains(t, err, c.text)
	}
}
