package annotation

import (
	"math"

	"github.com/spoolmedia/spool/resize"
)

// Geometry is what a decoder did to an image, as far as coordinates depend on it: a crop, a resize, a crop or padding,
// and flips, in this order. [GeometryOf] returns that of a plan. The region and the flips alone, as a batch has them of
// each slot, are a geometry, too: without Box, only the output's edges clamp boxes.
type Geometry struct {
	Box           resize.Rect   // the rectangle that was cropped first, to which boxes are clamped; zero: none
	Region        resize.Region // the area of the upright image that the output shows before it is flipped
	Width, Height int           // of the output
	FlipX, FlipY  bool

	// Resized says that neither a crop nor padding followed the resize. Then the output's edges do not clamp boxes, as
	// torchvision's resize does not.
	Resized bool
}

// GeometryOf returns the geometry of a plan. The spec is the planned spec with the values that augment drew.
func GeometryOf(s resize.Spec, p resize.Plan, augment resize.Augment) Geometry {
	g := Geometry{
		Box: s.Box, Region: p.Region, Width: p.OutWidth, Height: p.OutHeight, FlipX: s.FlipX, FlipY: s.FlipY,
		Resized: s.CropWidth == 0 && s.Mode == resize.Stretch,
	}
	if s.CropWidth != 0 && s.CropRight == 0 && s.CropDown == 0 && augment.Crop == nil {
		g.Region.Left -= further(p.OutWidth-p.W) * g.Region.Width / float64(p.OutWidth)
		g.Region.Top -= further(p.OutHeight-p.H) * g.Region.Height / float64(p.OutHeight)
	}
	return g
}

// further returns how many pixels further from the edge than an image torchvision's center_crop puts its boxes and
// points, if the image is too small by a number of pixels.
func further(missing int) float64 { return math.RoundToEven(float64(missing)/2) - float64(missing/2) }

// axis is one direction of a geometry: from is subtracted, then coordinates are scaled, and shifted.
type axis struct {
	from   float32
	size   float32 // of the box; 0 without one
	scale  float32
	shift  float32
	canvas float32
	flip   bool
}

func (g Geometry) axes() (x, y axis) {
	x = newAxis(g.Box.Left, g.Box.Width, g.Region.Left, g.Region.Width, g.Width, g.FlipX)
	y = newAxis(g.Box.Top, g.Box.Height, g.Region.Top, g.Region.Height, g.Height, g.FlipY)
	return x, y
}

func newAxis(from, size int, start, length float64, canvas int, flip bool) axis {
	scale := float64(canvas) / length
	shift := (float64(from) - start) * scale
	// A crop after a resize is in whole pixels. The region has it in pixels of the image, with an error of rounding.
	if whole := math.Round(shift); math.Abs(shift-whole) < 1e-6 {
		shift = whole
	}
	return axis{float32(from), float32(size), float32(scale), float32(shift), float32(canvas), flip}
}
