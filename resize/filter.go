package resize

import (
	"math"

	"github.com/spoolmedia/spool/internal/enum"
)

// Filter selects how pixels are weighted in a resize. When an image shrinks, the support of all filters except the
// nearest ones widens with the scale, which prevents aliasing.
type Filter uint8

const (
	Bilinear     Filter = iota // a triangle over 2 pixels; the same bytes as torchvision
	Bicubic                    // Keys' cubic with a = -0.5 over 4 pixels; the same bytes as torchvision
	Lanczos                    // sinc windowed by sinc over 6 pixels; the same bytes as Pillow
	Box                        // the mean of the covered pixels; the same bytes as Pillow
	Nearest                    // one pixel, never antialiased; the same bytes as Pillow
	NearestFloor               // the pixel at the output's edge: torchvision's NEAREST, which shifts by up to half a pixel
	NearestExact               // the pixel at the output's center, in single precision: torchvision's NEAREST_EXACT
)

var filterNames = enum.Names{"bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-floor", "nearest-exact"}

// Picks reports whether each output is one pixel of the source, so that the result has no new values. Masks of labels
// require this.
func (f Filter) Picks() bool { return f == Nearest || f == NearestFloor || f == NearestExact }

// String returns the filter's name on the command line.
func (f Filter) String() string { return filterNames.Of("Filter", uint8(f)) }

// MarshalText returns the filter's name.
func (f Filter) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText parses a filter's name.
func (f *Filter) UnmarshalText(text []byte) error { return enum.Parse(f, text, filterNames) }

// curve is a filter as a function of the distance, in output pixels when the image shrinks and in source pixels when it
// grows. It is zero beyond its support.
type curve struct {
	support float64
	at      func(x float64) float64
}

// curves has no entries for the nearest filters, which are not convolutions.
var curves = [...]curve{
	Bilinear: {1, triangle},
	Bicubic:  {2, cubic},
	Lanczos:  {3, lanczos},
	Box:      {0.5, box},
}

func triangle(x float64) float64 {
	return max(1-math.Abs(x), 0)
}

// cubic is R. Keys, "Cubic convolution interpolation for digital image processing" (1981), a = -0.5, evaluated in
// PyTorch's order so that the last bit agrees.
func cubic(x float64) float64 {
	const a = -0.5
	switch x = math.Abs(x); {
	case x < 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

func lanczos(x float64) float64 {
	if x < -3 || x >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// box is a half-open interval, so that a pixel on the border of two outputs counts in one.
func box(x float64) float64 {
	if x > -0.5 && x <= 0.5 {
		return 1
	}
	return 0
}
