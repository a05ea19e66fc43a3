package augment

import (
	"math"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// Erasing replaces a random rectangle by a color or by noise, as torchvision's RandomErasing on bytes.
type Erasing struct {
	// Scale is the range of the rectangle's share of the image. Zero means [0.02, 0.33].
	Scale [2]float64
	// Ratio is the range of height / width. Zero means [0.3, 3.3].
	Ratio [2]float64
	// Color is RGB. Gray images take its luma. The color that normalization turns into 0 is its mean.
	Color [3]uint8
	// Noise has the standard deviations of normal noise that is added to Color, by channel, and limited to bytes. With
	// the mean and the standard deviation of a normalization, the result is what RandomErasing with the value "random"
	// gives after it, but for rounding and that limit. Zero adds none.
	Noise [3]uint8
	// P is the probability; 0 means 0.5.
	P float64
}

// limits returns Scale and Ratio with their defaults.
func (e Erasing) limits() (scale, ratio [2]float64) {
	scale, ratio = e.Scale, e.Ratio
	if scale == [2]float64{} {
		scale = [2]float64{0.02, 0.33}
	}
	if ratio == [2]float64{} {
		ratio = [2]float64{0.3, 3.3}
	}
	return scale, ratio
}

// Validate returns all problems, each a *spool.OptionError.
func (e Erasing) Validate() error {
	var bad invalid.Options
	scale, ratio := e.limits()
	checkRange(&bad, "Scale", scale, 0, 1)
	if !(0 < ratio[0] && ratio[0] <= ratio[1] && ratio[1] <= math.MaxFloat32) {
		bad.Value("Ratio", ratio, "must ascend, above 0")
	}
	checkP(&bad, e.P)
	return bad.Err()
}

// Draw draws a rectangle by the rule of version 0.29: up to ten times an area and a ratio, uniform in its logarithm,
// until the rectangle is smaller than the image, and then the row and the column. If none fits, nothing is erased. The
// seed of noise is drawn last.
func (e Erasing) Draw(r resize.Random, width, height int) []Step {
	const attempts = 10
	if !happens(r, e.P, 0.5) {
		return nil
	}
	scale, ratio := e.limits()
	low, high := float32(math.Log(ratio[0])), float32(math.Log(ratio[1]))
	for range attempts {
		area := float64(width) * float64(height) * resize.Uniform(r, float32(scale[0]), float32(scale[1]))
		aspect := float64(float32(math.Exp(resize.Uniform(r, low, high))))
		h, w := int(math.RoundToEven(math.Sqrt(area*aspect))), int(math.RoundToEven(math.Sqrt(area/aspect)))
		if h < height && w < width {
			top := r.IntN(height - h + 1)
			step := Step{Kind: StepErase, Box: [4]int{r.IntN(width - w + 1), top, w, h}, Color: e.Color, Noise: e.Noise}
			if e.Noise != [3]uint8{} {
				step.Seed = uint64(r.Float64() * (1 << 53))
			}
			return []Step{step}
		}
	}
	return nil
}
