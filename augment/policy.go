package augment

import (
	"cmp"
	"math"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// RandAugment applies operations that are drawn from 14, all with one magnitude, as torchvision's RandAugment (Cubuk et
// al., RandAugment: Practical automated data augmentation with a reduced search space, 2019). Pixels that come from
// outside of the image have Fill; the others are the nearest ones.
type RandAugment struct {
	Ops       int      // how many operations are applied, one after the other; 0 means 2
	Magnitude int      // from 0 up, below Bins; 9 is torchvision's default
	Bins      int      // the number of magnitudes; 0 means 31
	Fill      [3]uint8 // RGB; gray images take its luma
}

// Validate returns all problems, each a *spool.OptionError.
func (a RandAugment) Validate() error {
	var bad invalid.Options
	if a.Ops < 0 || a.Ops > MaxOps {
		bad.Value("Ops", a.Ops, "must be from 1 to %d", MaxOps)
	}
	bins := cmp.Or(a.Bins, defaultBins)
	checkBins(&bad, bins)
	if a.Magnitude < 0 || a.Magnitude >= bins {
		bad.Value("Magnitude", a.Magnitude, "must be from 0 to %d", bins-1)
	}
	return bad.Err()
}

// Draw draws operations, and directions for operations such as shear.
func (a RandAugment) Draw(r resize.Random, width, height int) (steps []Step) {
	s := space{bins: cmp.Or(a.Bins, defaultBins), fill: a.Fill, width: width, height: height, shear: 0.3,
		across: 150.0 / 331 * float64(width), down: 150.0 / 331 * float64(height), angle: 30, factor: 0.9, bits: 4}
	for range cmp.Or(a.Ops, 2) {
		steps = append(steps, s.draw(r, func() int { return a.Magnitude })...)
	}
	return steps
}

// TrivialAugmentWide applies one operation, which is drawn from 14 with a magnitude, as torchvision's
// TrivialAugmentWide (Müller and Hutter, TrivialAugment: Tuning-free Yet State-of-the-Art Data Augmentation, 2021).
// Pixels that come from outside of the image have Fill; the others are the nearest ones.
type TrivialAugmentWide struct {
	Bins int      // the number of magnitudes; 0 means 31
	Fill [3]uint8 // RGB; gray images take its luma
}

// Validate returns all problems, each a *spool.OptionError.
func (a TrivialAugmentWide) Validate() error {
	var bad invalid.Options
	checkBins(&bad, cmp.Or(a.Bins, defaultBins))
	return bad.Err()
}

// Draw draws an operation, its magnitude, and its direction if it has one.
func (a TrivialAugmentWide) Draw(r resize.Random, width, height int) []Step {
	s := space{bins: cmp.Or(a.Bins, defaultBins), fill: a.Fill, width: width, height: height, shear: 0.99, across: 32,
		down: 32, angle: 135, factor: 0.99, bits: 6}
	return s.draw(r, func() int { return r.IntN(s.bins) })
}

const defaultBins = 31

func checkBins(bad *invalid.Options, bins int) {
	if bins < 2 || bins > 1<<16 {
		bad.Value("Bins", bins, "must be from 2 to %d", 1<<16)
	}
}

// space is the operations of a policy, with their largest magnitudes.
type space struct {
	bins                        int
	fill                        [3]uint8
	width, height               int
	shear, across, down, factor float64 // pixels for across and down
	angle                       float64 // degrees
	bits                        float64 // that the largest magnitude takes away
}

// The operations, in torchvision's order, which random numbers refer to.
const (
	identity = iota
	shearX
	shearY
	translateX
	translateY
	rotate
	brightness
	saturation
	contrast
	sharpness
	posterize
	solarize
	autocontrast
	equalize
	operations
)

// draw draws an operation. level draws the number of its magnitude, if it has one.
func (s *space) draw(r resize.Random, level func() int) []Step {
	op := r.IntN(operations)
	switch op {
	case identity:
		return nil
	case autocontrast:
		return []Step{{Kind: StepAutocontrast}}
	case equalize:
		return []Step{{Kind: StepEqualize}}
	case posterize:
		lost := float32(level()) / float32(float64(s.bins-1)/s.bits)
		return []Step{{Kind: StepPosterize, Size: int(math.RoundToEven(float64(8 - lost)))}}
	case solarize:
		return []Step{{Kind: StepSolarize, Value: 255 * s.linear(1, 0, level())}}
	}
	most := [...]float64{shearX: s.shear, shearY: s.shear, translateX: s.across, translateY: s.down, rotate: s.angle,
		brightness: s.factor, saturation: s.factor, contrast: s.factor, sharpness: s.factor}
	m := s.linear(0, float32(most[op]), level())
	if r.Float64() <= 0.5 {
		m = -m
	}
	switch op {
	case brightness:
		return []Step{{Kind: StepBrightness, Value: 1 + m}}
	case saturation:
		return []Step{{Kind: StepSaturation, Value: 1 + m}}
	case contrast:
		return []Step{{Kind: StepContrast, Value: 1 + m}}
	case sharpness:
		return []Step{{Kind: StepSharpness, Value: 1 + m}}
	}
	return []Step{{Kind: StepAffine, Matrix: s.matrix(op, m), Color: s.fill}}
}

// linear is torch.linspace(from, to, bins)[i].
func (s *space) linear(from, to float32, i int) float64 {
	step := (to - from) / float32(s.bins-1)
	if i < s.bins/2 {
		return float64(from + float32(step*float32(i)))
	}
	return float64(to - float32(step*float32(s.bins-i-1)))
}

// matrix returns the matrix of a shear, a shift or a rotation: torchvision's _get_inverse_affine_matrix.
func (s *space) matrix(op int, m float64) [6]float64 {
	w, h := float64(s.width)/2, float64(s.height)/2
	switch op {
	case shearX: // around the upper left corner
		return [6]float64{1, m, m * h, 0, 1, 0}
	case shearY:
		return [6]float64{1, 0, 0, m, 1, m * w}
	case translateX:
		return [6]float64{1, 0, -math.Trunc(m), 0, 1, 0}
	case translateY:
		return [6]float64{1, 0, 0, 0, 1, -math.Trunc(m)}
	}
	sin, cos := math.Sincos(m * math.Pi / 180)
	return [6]float64{cos, -sin, 0, sin, cos, 0}
}
