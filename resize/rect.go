package resize

import "fmt"

// Rect is a part of a picture: Width x Height pixels from column Left and row Top on.
type Rect struct{ Left, Top, Width, Height int }

// String is WIDTHxHEIGHT+LEFT+TOP.
func (r Rect) String() string { return fmt.Sprintf("%dx%d%+d%+d", r.Width, r.Height, r.Left, r.Top) }

// within reports whether the rectangle is a part of a picture of that size.
func (r Rect) within(width, height int) bool {
	return r.Left >= 0 && r.Top >= 0 && r.Left <= width-r.Width && r.Top <= height-r.Height
}

// problem is what is wrong with the rectangle whatever the picture, or empty.
func (r Rect) problem() string {
	switch {
	case r == Rect{}:
		return ""
	case r.Width <= 0 || r.Height <= 0:
		return "is empty"
	case r.Left < 0 || r.Top < 0:
		return "begins outside the picture"
	}
	return ""
}

// Region is a part of a picture, in pixels from its left and upper edge: pixel i covers [i, i+1].
type Region struct{ Left, Top, Width, Height float64 }
