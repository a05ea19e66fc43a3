package resize

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
)

// MaxEdge is the largest width or height of a result, and the largest of an image that is filtered. It bounds the
// memory of an axis to about 30 MB.
const MaxEdge = 1 << 18

// Mode selects how an image is resized to Width x Height.
type Mode uint8

const (
	Stretch Mode = iota // each side separately; the aspect ratio may change
	Fit                 // the whole image inside, centered, the rest PadColor
	Cover               // the largest centered crop of the image with the aspect ratio
)

var modeNames = [...]string{"stretch", "fit", "cover"}

// String returns the mode's name on the command line.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// MarshalText returns the mode's name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses a mode's name.
func (m *Mode) UnmarshalText(text []byte) error {
	i := slices.Index(modeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, modeNames)
	}
	*m = Mode(i)
	return nil
}

// Spec describes the size and geometry of resized images. Its zero value leaves every image at its own size. Sizes are
// in pixels; 0 means unset. An image is first cropped to Box, then resized, by Width and Height or by Shorter, then
// cropped, and finally flipped.
type Spec struct {
	// Box is the crop of the upright image that is used as if it were the image: the resize reads no pixel outside it. The
	// zero Rect is the whole image.
	Box Rect

	Width, Height         int      // the size of the result, by Mode; both or none
	Mode                  Mode     // default Stretch
	Shorter               int      // the length of the shorter side; excludes Width and Height
	CropWidth, CropHeight int      // a crop from the center; both or none, not with Fit or Cover
	CropRight, CropDown   int      // offset of the crop from the center; negative: to the left, up
	Filter                Filter   // default Bilinear
	Profile               Profile  // default Exact
	Bits                  int      // of the resized samples: 8 (as is 0), or 16, which has its own rule
	PadColor              [3]uint8 // red, green and blue of the canvas outside the image; default black

	FlipX, FlipY bool // mirror the result, left to right and top to bottom
}

// Validate returns all problems of the spec, each wrapping spool.ErrOptions.
func (s Spec) Validate() error {
	var problems []error
	refuse := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	for _, edge := range [...]struct {
		name  string
		value int
	}{
		{"Width", s.Width}, {"Height", s.Height}, {"Shorter", s.Shorter},
		{"CropWidth", s.CropWidth}, {"CropHeight", s.CropHeight},
	} {
		switch {
		case edge.value < 0:
			refuse("%s %d: must not be negative", edge.name, edge.value)
		case edge.value > MaxEdge:
			refuse("%s %d: must be at most %d", edge.name, edge.value, MaxEdge)
		}
	}
	if text := s.Box.problem(); text != "" {
		refuse("Box %v: %s", s.Box, text)
	}
	sized := s.Width != 0 || s.Height != 0
	if sized && (s.Width == 0 || s.Height == 0) {
		refuse("Width %d and Height %d: set both, or neither", s.Width, s.Height)
	}
	if (s.CropWidth == 0) != (s.CropHeight == 0) {
		refuse("CropWidth %d and CropHeight %d: set both, or neither", s.CropWidth, s.CropHeight)
	}
	switch offset := max(s.CropRight, s.CropDown, -s.CropRight, -s.CropDown); {
	case offset > 0 && s.CropWidth == 0 && s.CropHeight == 0:
		refuse("CropRight and CropDown need CropWidth and CropHeight")
	case offset > MaxEdge || min(s.CropRight, s.CropDown) < -MaxEdge:
		refuse("CropRight %d and CropDown %d: must be at most %d", s.CropRight, s.CropDown, MaxEdge)
	}
	if sized && s.Shorter != 0 {
		refuse("Width and Height exclude Shorter: set one of them")
	}
	switch {
	case int(s.Mode) >= len(modeNames):
		refuse("Mode %d: no such mode", s.Mode)
	case s.Mode != Stretch && !sized:
		refuse("Mode %v needs Width and Height", s.Mode)
	case s.Mode != Stretch && (s.CropWidth != 0 || s.CropHeight != 0):
		refuse("Mode %v excludes CropWidth and CropHeight: it gives Width x Height", s.Mode)
	}
	if int(s.Filter) >= len(filterNames) {
		refuse("Filter %d: no such filter", s.Filter)
	}
	if s.Bits != 0 && s.Bits != 8 && s.Bits != 16 {
		refuse("Bits %d: must be 8 or 16", s.Bits)
	}
	if int(s.Profile) >= len(profileNames) {
		refuse("Profile %d: no such profile", s.Profile)
	}
	return errors.Join(problems...)
}
