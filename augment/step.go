package augment

import "fmt"

// StepKind is what a step does.
type StepKind uint8

// The kinds of steps. Their numbers are those of cbridge/imageops/ops.h.
const (
	StepBrightness   StepKind = iota // multiplies bytes by Value
	StepContrast                     // blends the image and its mean luma, with the weight Value
	StepSaturation                   // blends each color and its luma, with the weight Value
	StepHue                          // adds Value, in full turns, to the hue
	StepGrayscale                    // luma in all channels
	StepSolarize                     // bytes from Value on are inverted
	StepPosterize                    // the upper Size bits of each byte are kept
	StepInvert                       // 255 less the byte
	StepAutocontrast                 // each channel is stretched to 0 and 255
	StepEqualize                     // each channel's histogram is made even
	StepSharpness                    // blends the image and its mean over 3x3 pixels, with the weight Value
	StepBlur                         // Gaussian of Size taps; Value is its sigma in pixels
	StepErase                        // Box gets Color, with noise around it if Noise is not zero
	StepAffine                       // each pixel is the nearest one by Matrix, or Color outside of the image
)

var kindNames = [...]string{"brightness", "contrast", "saturation", "hue", "grayscale", "solarize", "posterize",
	"invert", "autocontrast", "equalize", "sharpness", "blur", "erase", "affine"}

// String returns the kind's name.
func (k StepKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("StepKind(%d)", uint8(k))
}

// Step is an operation with its values.
type Step struct {
	Kind   StepKind
	Size   int        // taps of StepBlur, odd and at most 255; bits of StepPosterize
	Value  float64    // its meaning depends on Kind
	Matrix [6]float64 // of StepAffine: maps pixels of the result to the image, with the center as the origin
	Box    [4]int     // of StepErase: left, top, width and height, within the image
	Color  [3]uint8   // of StepErase and StepAffine: RGB; gray images take its luma
	Noise  [3]uint8   // of StepErase: standard deviations of normal noise, of the same channels
	Seed   uint64     // of StepErase: of that noise
}
