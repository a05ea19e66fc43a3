package augment

import (
	"cmp"
	"math"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// Sharpness sharpens or softens an image, as torchvision's RandomAdjustSharpness.
type Sharpness struct {
	// Factor is from 0 up: 0 softens, 1 changes nothing, 2 sharpens.
	Factor float64
	P      float64 // the probability; 0 means 0.5
}

// Validate returns all problems, each a *spool.OptionError.
func (s Sharpness) Validate() error {
	var bad invalid.Options
	if !(s.Factor >= 0 && s.Factor <= math.MaxFloat32) {
		bad.Value("Factor", s.Factor, "must not be negative")
	}
	checkP(&bad, s.P)
	return bad.Err()
}

// Draw draws whether the image is changed.
func (s Sharpness) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, s.P, 0.5, Step{Kind: StepSharpness, Value: s.Factor})
}

// GaussianBlur blurs an image with a Gaussian whose sigma is drawn, as torchvision's GaussianBlur. The image is
// mirrored at its edges.
type GaussianBlur struct {
	// Kernel is the number of pixels along each side that a pixel is a mean of: odd, at most 255. 0 means 9.
	Kernel int
	// Sigma is a range in pixels. Zero means [0.1, 2].
	Sigma [2]float64
	// P is the probability; 0 means 1.
	P float64
}

func (b GaussianBlur) sigma() [2]float64 {
	if b.Sigma == [2]float64{} {
		return [2]float64{0.1, 2}
	}
	return b.Sigma
}

// Validate returns all problems, each a *spool.OptionError.
func (b GaussianBlur) Validate() error {
	var bad invalid.Options
	if k := cmp.Or(b.Kernel, 9); k < 1 || k > 255 || k%2 == 0 {
		bad.Value("Kernel", b.Kernel, "must be odd, from 1 to 255")
	}
	if s := b.sigma(); !(s[0] > 0 && s[0] <= s[1] && s[1] <= math.MaxFloat32) {
		bad.Value("Sigma", s, "must ascend, above 0")
	}
	checkP(&bad, b.P)
	return bad.Err()
}

// Draw draws whether the image is blurred, and the sigma.
func (b GaussianBlur) Draw(r resize.Random, _, _ int) []Step {
	if !happens(r, b.P, 1) {
		return nil
	}
	s := b.sigma()
	return []Step{{Kind: StepBlur, Size: cmp.Or(b.Kernel, 9), Value: resize.Uniform(r, float32(s[0]), float32(s[1]))}}
}
