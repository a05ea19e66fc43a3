package resize

import (
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Random is a source of random numbers: an *order.Rand, or a *rand.Rand of math/rand/v2.
type Random interface {
	Float64() float64 // in [0, 1)
	IntN(n int) int   // in [0, n)
}

// RandomResizedCrop draws the box of torchvision's RandomResizedCrop ("Inception crop", Szegedy et al., Going Deeper
// with Convolutions, 2014). The Spec then resizes the box.
type RandomResizedCrop struct {
	// Scale bounds the box's share of the image's area. Zero means [0.08, 1].
	Scale [2]float64
	// Ratio bounds the box's width / height. Zero means [3/4, 4/3].
	Ratio [2]float64
}

// limits returns Scale and Ratio with their defaults.
func (c RandomResizedCrop) limits() (scale, ratio [2]float64) {
	scale, ratio = c.Scale, c.Ratio
	if scale == [2]float64{} {
		scale = [2]float64{0.08, 1}
	}
	if ratio == [2]float64{} {
		ratio = [2]float64{3. / 4, 4. / 3}
	}
	return scale, ratio
}

// Validate returns all problems, each a *spool.OptionError.
func (c RandomResizedCrop) Validate() error {
	var bad invalid.Options
	scale, ratio := c.limits()
	if !(0 < scale[0] && scale[0] <= scale[1] && scale[1] <= 1) {
		bad.Value("Scale", scale, "must ascend, above 0 and at most 1")
	}
	if !(0 < ratio[0] && ratio[0] <= ratio[1] && ratio[1] <= math.MaxFloat32) {
		bad.Value("Ratio", ratio, "must ascend, above 0")
	}
	return bad.Err()
}

// Draw draws a box for an image of the given size by torchvision's rule (RandomResizedCrop.make_params of version
// 0.29). Up to ten times it draws an area, uniform, and a ratio, uniform in its logarithm, until the box fits. Then it
// draws the position, row first. If no box fits, it returns the whole image if its ratio is allowed, and otherwise the
// largest centered box with the nearest allowed ratio. One pixel remains if torchvision's box would be empty, on which
// its resize fails. Areas and ratios have single precision, so that torch's random numbers give torchvision's boxes.
func (c RandomResizedCrop) Draw(r Random, width, height int) Rect {
	const attempts = 10
	scale, ratio := c.limits()
	low, high := logarithm(ratio[0]), logarithm(ratio[1])
	for range attempts {
		area := float64(width) * float64(height) * Uniform(r, float32(scale[0]), float32(scale[1]))
		aspect := float64(float32(math.Exp(Uniform(r, low, high))))
		w := roundHalfEven(math.Sqrt(area * aspect))
		h := roundHalfEven(math.Sqrt(area / aspect))
		if 0 < w && w <= width && 0 < h && h <= height {
			top := r.IntN(height - h + 1)
			return Rect{Left: r.IntN(width - w + 1), Top: top, Width: w, Height: h}
		}
	}
	w, h := width, height
	switch own := float64(width) / float64(height); {
	case own < ratio[0]:
		h = max(roundHalfEven(float64(w)/ratio[0]), 1)
	case own > ratio[1]:
		w = max(roundHalfEven(float64(h)*ratio[1]), 1)
	}
	return Rect{Left: (width - w) / 2, Top: (height - h) / 2, Width: w, Height: h}
}

// Uniform draws torch.empty(1).uniform_(low, high), which is computed in double precision and has single precision.
func Uniform(r Random, low, high float32) float64 {
	// The conversion of the product prevents a fused multiply-add on platforms that have one.
	return float64(float32(float64(r.Float64()*float64(high-low)) + float64(low)))
}

// logarithm is torch.log of a number in single precision.
func logarithm(x float64) float32 { return float32(math.Log(float64(float32(x)))) }

// Padding is a number of pixels on each side of an image.
type Padding struct{ Left, Top, Right, Bottom int }

// RandomCrop draws the position of torchvision's RandomCrop: of the Spec's crop, with all positions equally likely. Its
// padding mode is constant, with Spec.PadColor.
type RandomCrop struct {
	// Padding is added first. On each side it must be smaller than the crop, so that no crop misses the image.
	Padding Padding
	// PadIfNeeded adds more padding if the image is still too small: the missing pixels on both sides. Without it such an
	// image is an error.
	PadIfNeeded bool
}

// Validate returns a *spool.OptionError if the padding is invalid for a crop of the given size.
func (c RandomCrop) Validate(cropWidth, cropHeight int) error {
	p := c.Padding
	if min(p.Left, p.Top, p.Right, p.Bottom) < 0 || max(p.Left, p.Right) >= cropWidth ||
		max(p.Top, p.Bottom) >= cropHeight {
		var bad invalid.Options
		bad.Value("Padding", p, "must not be negative, and on each side smaller than the crop, %dx%d", cropWidth, cropHeight)
		return bad.Err()
	}
	return nil
}

// Draw draws the position of a crop in an image of width x height; left and top are negative in padding. The error is
// spool.ErrUnsupported for an image that is too small.
func (c RandomCrop) Draw(r Random, width, height, cropWidth, cropHeight int) (left, top int, err error) {
	p := c.Padding
	if c.PadIfNeeded {
		x, y := max(cropWidth-p.Left-width-p.Right, 0), max(cropHeight-p.Top-height-p.Bottom, 0)
		p = Padding{p.Left + x, p.Top + y, p.Right + x, p.Bottom + y}
	}
	x, y := p.Left+width+p.Right-cropWidth, p.Top+height+p.Bottom-cropHeight
	if x < 0 || y < 0 {
		return 0, 0, &spool.Error{Op: "resize", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("an image of %dx%d is too small for a random crop of %dx%d", width, height, cropWidth, cropHeight)}
	}
	if y > 0 {
		y = r.IntN(y + 1)
	}
	if x > 0 {
		x = r.IntN(x + 1)
	}
	return x - p.Left, y - p.Top, nil
}
