package augment

import "fmt"

// Kind is what a step does.
type Kind uint8

// The kinds of steps. Their numbers are those of cbridge/imageops/ops.h.
const (
	StepBrightness   Kind = iota // Value times the byte
	StepContrast                 // Value times the byte, and the rest from the mean of the image's luma
	StepSaturation               // Value times the color, and the rest from its luma
	StepHue                      // Value, of a full turn, is added to the hue
	StepGrayscale                // luma in all channels
	StepSolarize                 // bytes from Value on are inverted
	StepPosterize                // the upper Size bits of each byte are kept
	StepInvert                   // 255 less the byte
	StepAutocontrast             // each channel is stretched to 0 and 255
	StepEqualize                 // each channel's histogram is made even
	StepSharpness                // Value times the image, and the rest from a mean over 3x3 pixels
	StepBlur                     // Gaussian of Size taps; Value is its sigma in pixels
	StepErase                    // Box gets Color
	StepAffine                   // each pixel is the nearest one by Matrix, or Color outside of the image
)

var kindNames = [...]string{"brightness", "contrast", "saturation", "hue", "grayscale", "solarize", "posterize",
	"invert", "autocontrast", "equalize", "sharpness", "blur", "erase", "affine"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Step is an operation with its values.
type Step struct {
	Kind   Kind
	Size   int        // taps of StepBlur, odd and at most 255; bits of StepPosterize
	Value  float64    // see the kinds
	Matrix [6]float64 // of StepAffine: x and y in the image, from x, y and 1 in the result, all from the center
	Box    [4]int     // of StepErase: left, top, width and height, within the image
	Color  [3]uint8   // of StepErase and StepAffine: RGB; images of one channel take the first
}
