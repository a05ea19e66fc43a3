package resize

import (
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Crops are several crops of CropWidth x CropHeight at fixed places of one image, for evaluation.
type Crops uint8

const (
	OneCrop   Crops = iota // the crop that the Spec describes
	FiveCrops              // torchvision's FiveCrop: upper left, upper right, lower left, lower right, center
	TenCrops               // torchvision's TenCrop: FiveCrops, then FiveCrops of the image mirrored left to right
)

var cropNames = [...]string{"one", "five", "ten"}

// String returns the name on the command line.
func (c Crops) String() string {
	if int(c) < len(cropNames) {
		return cropNames[c]
	}
	return fmt.Sprintf("Crops(%d)", uint8(c))
}

// MarshalText returns the name.
func (c Crops) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses a name.
func (c *Crops) UnmarshalText(text []byte) error {
	i := slices.Index(cropNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, cropNames)
	}
	*c = Crops(i)
	return nil
}

// Validate adds each problem of the crops of an image with the geometry s.
func (c Crops) Validate(bad *invalid.Options, s Spec) {
	switch {
	case c > TenCrops:
		bad.Value("Crops", uint8(c), "no such crops")
	case c != OneCrop && s.CropWidth == 0:
		bad.Needs(invalid.With("Crops", c), invalid.Named("Resize.CropWidth", "Resize.CropHeight"), "the size of a crop")
	}
}

// Len returns the number of crops.
func (c Crops) Len() int { return [...]int{1, 5, 10}[c] }

// Draw returns the function that gives an image, from its upright size, the spec of crop i, from 0. base is the spec of
// all crops; draw, if not nil, gives it for each image.
func (c Crops) Draw(i int, base Spec, draw func(width, height int) (Spec, error)) func(width, height int) (Spec, error) {
	return func(width, height int) (Spec, error) {
		s := base
		if draw != nil {
			var err error
			if s, err = draw(width, height); err != nil {
				return Spec{}, err
			}
		}
		return c.Spec(s, i, width, height)
	}
}

// Spec returns the spec of crop i, from 0, for an upright image of width x height. The offsets of s are not used. The
// error is spool.ErrUnsupported for an image that is smaller than the crop after the resize.
func (c Crops) Spec(s Spec, i, width, height int) (Spec, error) {
	if c == OneCrop {
		return s, nil
	}
	if s.Box != (Rect{}) {
		width, height = s.Box.Width, s.Box.Height
	}
	x, y := s.sides(width, height)
	right, down := x.out-s.CropWidth, y.out-s.CropHeight
	if min(right, down) < 0 {
		return Spec{}, &spool.Error{Op: "resize", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("an image of %dx%d is too small for crops of %dx%d", x.out, y.out, s.CropWidth, s.CropHeight)}
	}
	mirrored := i >= FiveCrops.Len()
	left, top := middle(x.out, s.CropWidth), middle(y.out, s.CropHeight)
	switch i % FiveCrops.Len() {
	case 0:
		left, top = 0, 0
	case 1:
		left, top = right, 0
	case 2:
		left, top = 0, down
	case 3:
		left, top = right, down
	}
	if mirrored { // the place is that in the mirrored image
		left = right - left
		s.FlipX = !s.FlipX
	}
	s.CropRight, s.CropDown = left-middle(x.out, s.CropWidth), top-middle(y.out, s.CropHeight)
	return s, nil
}
