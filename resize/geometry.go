package resize

import "math"

// span is one direction of a plan: the source range that is resized, its number of output pixels, and the range of
// these that is kept. It determines an axis.
type span struct {
	in          int     // source pixels
	lo, hi      float32 // the range that is resized: single precision, as in Pillow's resize(box=...)
	out         int     // output pixels of that range
	first, last int     // the outputs that a crop keeps
	filter      Filter
	rounding    rounding
	grid        grid // the samples that the weights apply to, if these are not pixels
}

// identity reports whether the span only copies pixels. Both libraries skip such a pass.
func (s span) identity() bool {
	return s.hi-s.lo == float32(s.out) && s.lo == float32(int(s.lo))
}

// side is a span with its position on the canvas.
type side struct {
	span
	canvas int // pixels of the canvas
	offset int // position of the first kept pixel on the canvas
}

// whole returns a side that is resized from all of its pixels and neither cropped nor padded.
func whole(in, out int, f Filter) side {
	return side{span: span{in: in, hi: float32(in), out: out, last: out, filter: f}, canvas: out}
}

// sides returns the geometry for an image, or for the box in an image, of the given size.
func (s Spec) sides(width, height int) (x, y side) {
	outWidth, outHeight := width, height
	switch {
	case s.Shorter != 0 || s.MaxSize != 0:
		outWidth, outHeight = scaledTo(width, height, s.Shorter, s.MaxSize)
	case s.Snap.Multiple != 0:
		outWidth, outHeight = s.Snap.size(width, height)
	case s.Width != 0 && s.Mode == Fit:
		outWidth, outHeight = contain(width, height, s.Width, s.Height)
	case s.Width != 0:
		outWidth, outHeight = s.Width, s.Height
	}
	x, y = whole(width, outWidth, s.Filter), whole(height, outHeight, s.Filter)
	switch {
	case s.Mode == Cover:
		cover(&x, &y)
	case s.Mode == Fit:
		x.pad(s.Width)
		y.pad(s.Height)
	case s.CropWidth != 0:
		x.crop(s.CropWidth, s.CropRight)
		y.crop(s.CropHeight, s.CropDown)
	}
	return x, y
}

// scaledTo is torchvision's _compute_resized_output_size for a single number or none, and a max_size or none. A side
// that it truncates to zero keeps one pixel.
func scaledTo(width, height, size, maxSize int) (int, int) {
	short, long := min(width, height), max(width, height)
	newShort, newLong := size, 0
	if size > 0 {
		newLong = int(float64(size*long) / float64(short))
	} else {
		newShort, newLong = short, long
	}
	if maxSize > 0 && (newLong > maxSize || size == 0) {
		newShort, newLong = max(int(float64(maxSize*newShort)/float64(newLong)), 1), maxSize
	}
	if width <= height {
		return newShort, newLong
	}
	return newLong, newShort
}

// contain is ImageOps.contain: the largest size with the image's aspect ratio within width x height.
func contain(inWidth, inHeight, width, height int) (int, int) {
	ratio, wanted := float64(inWidth)/float64(inHeight), float64(width)/float64(height)
	switch {
	case ratio > wanted:
		height = roundHalfEven(float64(inHeight) / float64(inWidth) * float64(width))
	case ratio < wanted:
		width = roundHalfEven(float64(inWidth) / float64(inHeight) * float64(height))
	}
	return max(width, 1), max(height, 1)
}

// cover narrows both sides to the crop of ImageOps.fit.
func cover(x, y *side) {
	width, height := float64(x.in), float64(y.in)
	ratio := float64(x.out) / float64(y.out)
	partWidth, partHeight := width, height
	switch own := width / height; {
	case own > ratio:
		partWidth = ratio * height
	case own < ratio:
		partHeight = width / ratio
	}
	x.narrow(partWidth)
	y.narrow(partHeight)
}

// narrow restricts the side to its center. Rounding must not exceed the image.
func (s *side) narrow(part float64) {
	lo := (float64(s.in) - part) * 0.5
	s.lo, s.hi = float32(lo), min(float32(lo+part), float32(s.in))
}

// pad centers the side on a canvas that is at least as large, as in ImageOps.pad.
func (s *side) pad(canvas int) {
	s.canvas, s.offset = canvas, roundHalfEven(float64(canvas-s.out)*0.5)
}

// shown returns the start and the length of the source range that the canvas covers.
func (s side) shown() (from, length float64) {
	in, out := float64(s.hi-s.lo), float64(s.out) // divide last, so that integers stay exact
	return float64(s.lo) + float64(s.first-s.offset)*in/out, float64(s.canvas) * in / out
}

// shrink converts the side to an image that a decoder has already reduced from whole to in pixels. It crops the range
// of a box that begins at from.
func (s *side) shrink(from, whole, in int) {
	scale := func(at float32) float32 { return float32((float64(from) + float64(at)) * float64(in) / float64(whole)) }
	s.lo, s.hi = scale(s.lo), min(scale(s.hi), float32(in))
	s.in = in
}

// crop keeps `canvas` pixels, `shift` pixels off the center. The canvas outside the side is padded.
func (s *side) crop(canvas, shift int) {
	left := middle(s.out, canvas) + shift
	s.canvas, s.offset = canvas, max(-left, 0)
	s.first, s.last = max(left, 0), min(left+canvas, s.out)
}

// middle returns the start of torchvision's CenterCrop, which pads a side that is too short.
func middle(side, canvas int) int {
	if canvas > side {
		return -((canvas - side) / 2)
	}
	return roundHalfEven(float64(side-canvas) / 2)
}

// roundHalfEven is Python's round.
func roundHalfEven(x float64) int { return int(math.RoundToEven(x)) }
