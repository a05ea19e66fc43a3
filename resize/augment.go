package resize

import (
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
)

// Augment describes random geometry for training. Its zero value changes nothing.
type Augment struct {
	// ResizedCrop, if not nil, draws Spec.Box.
	ResizedCrop *RandomResizedCrop
	// Crop, if not nil, draws the position of the crop of Spec.CropWidth x CropHeight, after the resize.
	Crop *RandomCrop
	// FlipX and FlipY are the probabilities of mirroring left to right and top to bottom.
	FlipX, FlipY float64
}

// The purpose of a sample's random numbers. It is part of the key of a draw, so the values are fixed for all releases.
const (
	opResizedCrop = 1 + iota
	opCrop
	opFlipX
	opFlipY
)

// Validate returns all problems of the settings, and all conflicts with the spec, each a *spool.OptionError.
func (a Augment) Validate(s Spec) error {
	var bad invalid.Options
	if a.ResizedCrop != nil {
		bad.Add(a.ResizedCrop.Validate())
		if s.Box != (Rect{}) {
			bad.Excludes(invalid.With("Box", s.Box), invalid.Named("ResizedCrop"), "one of them chooses the crop")
		}
	}
	switch {
	case a.Crop != nil && (s.CropWidth <= 0 || s.CropHeight <= 0):
		bad.Needs(invalid.Named("Crop"), cropSize(), "the size of the crop")
	case a.Crop != nil:
		bad.Add(a.Crop.Validate(s.CropWidth, s.CropHeight))
	}
	for _, p := range [...]struct {
		name  string
		value float64
	}{{"FlipX", a.FlipX}, {"FlipY", a.FlipY}} {
		if !(0 <= p.value && p.value <= 1) {
			bad.Value(p.name, p.value, "a probability must be from 0 to 1")
		}
	}
	return bad.Err()
}

// Drawing returns a function that draws for one sample, once the size of its image is known. It is the Draw of specs of
// images and of video.
func (a Augment) Drawing(s Spec, by order.Draw) func(width, height int) (Spec, error) {
	return func(width, height int) (Spec, error) { return a.Draw(s, by, width, height) }
}

// Draw returns the spec with the random values for a sample, an image of width x height. It depends on its arguments
// only. The error is spool.ErrUnsupported for an image that is too small for RandomCrop.
func (a Augment) Draw(s Spec, by order.Draw, width, height int) (Spec, error) {
	if a.ResizedCrop != nil {
		r := by.Rand(opResizedCrop)
		s.Box = a.ResizedCrop.Draw(&r, width, height)
	}
	if a.Crop != nil {
		r := by.Rand(opCrop)
		if s.Box != (Rect{}) {
			width, height = s.Box.Width, s.Box.Height
		}
		x, y := s.sides(width, height)
		left, top, err := a.Crop.Draw(&r, x.out, y.out, s.CropWidth, s.CropHeight)
		if err != nil {
			return Spec{}, err
		}
		s.CropRight, s.CropDown = left-middle(x.out, s.CropWidth), top-middle(y.out, s.CropHeight)
	}
	s.FlipX = s.FlipX != (a.FlipX > 0 && flip(a.FlipX, by, opFlipX))
	s.FlipY = s.FlipY != (a.FlipY > 0 && flip(a.FlipY, by, opFlipY))
	return s, nil
}

// flip returns true with probability p.
func flip(p float64, by order.Draw, op uint64) bool {
	r := by.Rand(op)
	return r.Float64() < p
}
