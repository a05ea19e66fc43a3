package augment

import (
	"math"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// ColorJitter changes brightness, contrast, saturation and hue, in a random order, as torchvision's ColorJitter. The
// factors are uniform in ranges. A range of zeros leaves its property unchanged.
type ColorJitter struct {
	// Brightness, Contrast and Saturation are ranges of factors, from 0 up; 1 changes nothing. See Around.
	Brightness, Contrast, Saturation [2]float64
	// Hue is the range of the shift of the hue, in full turns, within [-0.5, 0.5].
	Hue [2]float64
	// P is the probability; 0 means 1.
	P float64
}

// Around returns the range [max(0, 1 - x), 1 + x] of factors.
func Around(x float64) [2]float64 { return [2]float64{max(0, 1-x), 1 + x} }

// Validate returns all problems, each a *spool.OptionError.
func (j ColorJitter) Validate() error {
	var bad invalid.Options
	checkRange(&bad, "Brightness", j.Brightness, 0, math.MaxFloat32)
	checkRange(&bad, "Contrast", j.Contrast, 0, math.MaxFloat32)
	checkRange(&bad, "Saturation", j.Saturation, 0, math.MaxFloat32)
	checkRange(&bad, "Hue", j.Hue, -0.5, 0.5)
	checkP(&bad, j.P)
	return bad.Err()
}

// Draw draws an order and the factors.
func (j ColorJitter) Draw(r resize.Random, _, _ int) []Step {
	if !happens(r, j.P, 1) {
		return nil
	}
	var places [4]int
	for i := range places { // a random permutation: the step that comes i-th
		k := r.IntN(i + 1)
		places[i] = places[k]
		places[k] = i
	}
	var all [4]Step
	for i, values := range [...][2]float64{j.Brightness, j.Contrast, j.Saturation, j.Hue} {
		all[i] = Step{Kind: StepBrightness + StepKind(i), Value: math.NaN()}
		if values != [2]float64{} {
			all[i].Value = resize.Uniform(r, float32(values[0]), float32(values[1]))
		}
	}
	var steps []Step
	for _, i := range places {
		if !math.IsNaN(all[i].Value) {
			steps = append(steps, all[i])
		}
	}
	return steps
}

// Grayscale makes an image gray and keeps its channels, as torchvision's RandomGrayscale.
type Grayscale struct {
	P float64 // the probability; 0 means 0.1
}

// Validate returns a *spool.OptionError for a wrong probability.
func (g Grayscale) Validate() error { return onlyP(g.P) }

// Draw draws whether the image becomes gray.
func (g Grayscale) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, g.P, 0.1, Step{Kind: StepGrayscale})
}

// sometimes returns a step, or none.
func sometimes(r resize.Random, p, def float64, s Step) []Step {
	if !happens(r, p, def) {
		return nil
	}
	return []Step{s}
}

// Solarize inverts bytes from a threshold on, as torchvision's RandomSolarize.
type Solarize struct {
	// Threshold is from 0 to 255; usual is 128. With 0, all bytes are inverted.
	Threshold float64
	P         float64 // the probability; 0 means 0.5
}

// Validate returns all problems, each a *spool.OptionError.
func (s Solarize) Validate() error {
	var bad invalid.Options
	if !(s.Threshold >= 0 && s.Threshold <= 255) {
		bad.Value("Threshold", s.Threshold, "must be from 0 to 255")
	}
	checkP(&bad, s.P)
	return bad.Err()
}

// Draw draws whether the image is solarized.
func (s Solarize) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, s.P, 0.5, Step{Kind: StepSolarize, Value: s.Threshold})
}

// Posterize keeps the upper bits of each byte, as torchvision's RandomPosterize.
type Posterize struct {
	Bits int     // from 0, which gives black, to 8, which changes nothing; usual is 4
	P    float64 // the probability; 0 means 0.5
}

// Validate returns all problems, each a *spool.OptionError.
func (p Posterize) Validate() error {
	var bad invalid.Options
	if p.Bits < 0 || p.Bits > 8 {
		bad.Value("Bits", p.Bits, "must be from 0 to 8")
	}
	checkP(&bad, p.P)
	return bad.Err()
}

// Draw draws whether the image is posterized.
func (p Posterize) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, p.P, 0.5, Step{Kind: StepPosterize, Size: p.Bits})
}

// Invert inverts all bytes, as torchvision's RandomInvert.
type Invert struct {
	P float64 // the probability; 0 means 0.5
}

// Validate returns a *spool.OptionError for a wrong probability.
func (i Invert) Validate() error { return onlyP(i.P) }

// Draw draws whether the image is inverted.
func (i Invert) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, i.P, 0.5, Step{Kind: StepInvert})
}

// Autocontrast stretches each channel to 0 and 255, as torchvision's RandomAutocontrast.
type Autocontrast struct {
	P float64 // the probability; 0 means 0.5
}

// Validate returns a *spool.OptionError for a wrong probability.
func (a Autocontrast) Validate() error { return onlyP(a.P) }

// Draw draws whether the contrast is stretched.
func (a Autocontrast) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, a.P, 0.5, Step{Kind: StepAutocontrast})
}

// Equalize makes the histogram of each channel even, as torchvision's RandomEqualize.
type Equalize struct {
	P float64 // the probability; 0 means 0.5
}

// Validate returns a *spool.OptionError for a wrong probability.
func (e Equalize) Validate() error { return onlyP(e.P) }

// Draw draws whether the image is equalized.
func (e Equalize) Draw(r resize.Random, _, _ int) []Step {
	return sometimes(r, e.P, 0.5, Step{Kind: StepEqualize})
}
