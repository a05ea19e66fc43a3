package resize

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Rect is a part of a picture: Width x Height pixels from column Left and row Top on.
type Rect struct{ Left, Top, Width, Height int }

// String is WIDTHxHEIGHT+LEFT+TOP.
func (r Rect) String() string { return fmt.Sprintf("%dx%d%+d%+d", r.Width, r.Height, r.Left, r.Top) }

// clip is the pixels that a picture of that size has of the rectangle.
func (r Rect) clip(width, height int) Rect {
	left, top := max(r.Left, 0), max(r.Top, 0)
	return Rect{left, top, min(r.Width-(left-r.Left), width-left), min(r.Height-(top-r.Top), height-top)}
}

// boxProblem is what is wrong with the box whatever the picture, or empty.
func (s Spec) boxProblem() string {
	b := s.Box
	switch {
	case b == Rect{} && s.Overhang:
		return "overhang without a box"
	case b == Rect{}:
		return ""
	case b.Width <= 0 || b.Height <= 0:
		return fmt.Sprintf("box %v is empty", b)
	case max(b.Width, b.Height) > MaxEdge && s.Overhang:
		return fmt.Sprintf("box %v is above the limit of %d", b, MaxEdge)
	case !s.Overhang && (b.Left < 0 || b.Top < 0):
		return fmt.Sprintf("box %v begins outside the picture", b)
	case s.Overhang && (s.Shorter != 0 || s.CropWidth != 0 || s.CropHeight != 0 || s.resizes(b)):
		return fmt.Sprintf("box %v with overhang cannot be resized or cropped", b)
	}
	return ""
}

// resizes reports whether the spec asks for another size than the box has.
func (s Spec) resizes(b Rect) bool {
	return s.Width != 0 && s.Width != b.Width || s.Height != 0 && s.Height != b.Height
}

// part is the box within a picture, and that of its pixels which there are. They differ by an overhang.
func (s Spec) part(width, height int) (box, there Rect, err error) {
	if s.Box == (Rect{}) {
		whole := Rect{Width: width, Height: height}
		return whole, whole, nil
	}
	there = s.Box.clip(width, height)
	if there != s.Box && !s.Overhang || there.Width <= 0 || there.Height <= 0 {
		return Rect{}, Rect{}, fmt.Errorf("%w: box %v is not in a picture of %dx%d", spool.ErrShape, s.Box, width, height)
	}
	return s.Box, there, nil
}

// Region is a part of a picture, in pixels from its left and upper edge: pixel i covers [i, i+1].
type Region struct{ Left, Top, Width, Height float64 }
