package resize

import "fmt"

// Rect is a rectangle that a request names, in whole pixels: Width x Height pixels from column Left and row Top on. It
// is within the image. The area that a result shows is a [Region].
type Rect struct{ Left, Top, Width, Height int }

// String returns WIDTHxHEIGHT+LEFT+TOP.
func (r Rect) String() string { return fmt.Sprintf("%dx%d%+d%+d", r.Width, r.Height, r.Left, r.Top) }

// within reports whether the rectangle is inside an image of the given size.
func (r Rect) within(width, height int) bool {
	return r.Left >= 0 && r.Top >= 0 && r.Left <= width-r.Width && r.Top <= height-r.Height
}

// problem describes what makes the rectangle invalid for any image. It is "" for valid rectangles.
func (r Rect) problem() string {
	switch {
	case r == Rect{}:
		return ""
	case r.Width <= 0 || r.Height <= 0:
		return "is empty"
	case r.Left < 0 || r.Top < 0:
		return "begins outside the image"
	}
	return ""
}

// Region is the area of an image that a result shows, in pixels from the left and upper edge: pixel i covers [i, i+1].
// It follows from a plan. Its edges may be between pixels, and outside the image if the result is padded. The rectangle
// that a request names is a [Rect].
type Region struct{ Left, Top, Width, Height float64 }
