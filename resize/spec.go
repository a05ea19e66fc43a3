package resize

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
)

// MaxEdge is the largest width or height that can be asked for, and the largest that a picture may
// have where it is to be filtered. It bounds the memory of an axis to about 30 MB.
const MaxEdge = 1 << 18

// Mode is how a picture is brought to Width x Height.
type Mode uint8

const (
	Stretch Mode = iota // each side on its own; the aspect ratio may change
	Fit                 // the whole picture inside, centred, the rest PadColor
	Cover               // the largest centred part of the picture that has the aspect ratio
)

var modeNames = [...]string{"stretch", "fit", "cover"}

// String is the mode's name on the command line.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// MarshalText gives the mode's name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText takes a mode's name.
func (m *Mode) UnmarshalText(text []byte) error {
	i := slices.Index(modeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, modeNames)
	}
	*m = Mode(i)
	return nil
}

// Spec says what size pictures are to have. Its zero value leaves every picture at its own size.
// Sizes are in pixels, 0 means not asked for. A picture is first cut to Box, then resized, by Width and
// Height or by Shorter, then cropped, and flipped last.
type Spec struct {
	// Box is the part of the upright picture that is used, as if the picture were that part: the resize
	// sees no pixel beyond it. The zero Rect is the whole picture.
	Box Rect

	Width, Height         int      // the size to reach, by Mode; both or none
	Mode                  Mode     // Stretch unless said otherwise
	Shorter               int      // the length of the shorter side, instead of Width and Height
	CropWidth, CropHeight int      // a part from the middle; both or none, not with Fit or Cover
	CropRight, CropDown   int      // moves the crop off the middle; negative: to the left, up
	Filter                Filter   // Bilinear unless said otherwise
	Profile               Profile  // Exact unless said otherwise
	Bits                  int      // of the samples that are resized: 8, which 0 means as well, or 16, which have a rule of their own
	PadColor              [3]uint8 // red, green, blue of what the picture does not fill; black

	FlipX, FlipY bool // mirror the result, left to right and top to bottom
}

// Validate reports everything that is wrong with the spec, each problem wrapping spool.ErrOptions.
func (s Spec) Validate() error {
	var problems []error
	refuse := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	for _, edge := range [...]struct {
		name  string
		value int
	}{
		{"width", s.Width}, {"height", s.Height}, {"shorter side", s.Shorter},
		{"crop width", s.CropWidth}, {"crop height", s.CropHeight},
	} {
		switch {
		case edge.value < 0:
			refuse("%s %d is negative", edge.name, edge.value)
		case edge.value > MaxEdge:
			refuse("%s %d is above the limit of %d", edge.name, edge.value, MaxEdge)
		}
	}
	if text := s.Box.problem(); text != "" {
		refuse("box %v %s", s.Box, text)
	}
	sized := s.Width != 0 || s.Height != 0
	if sized && (s.Width == 0 || s.Height == 0) {
		refuse("size %dx%d lacks a side", s.Width, s.Height)
	}
	if (s.CropWidth == 0) != (s.CropHeight == 0) {
		refuse("crop %dx%d lacks a side", s.CropWidth, s.CropHeight)
	}
	switch far := max(s.CropRight, s.CropDown, -s.CropRight, -s.CropDown); {
	case far > 0 && s.CropWidth == 0 && s.CropHeight == 0:
		refuse("a crop that is moved needs a size")
	case far > MaxEdge || min(s.CropRight, s.CropDown) < -MaxEdge:
		refuse("a crop moved by %+d%+d is above the limit of %d", s.CropRight, s.CropDown, MaxEdge)
	}
	if sized && s.Shorter != 0 {
		refuse("a size and a shorter side exclude each other")
	}
	switch {
	case int(s.Mode) >= len(modeNames):
		refuse("no such mode: %d", s.Mode)
	case s.Mode != Stretch && !sized:
		refuse("mode %v needs a size", s.Mode)
	case s.Mode != Stretch && (s.CropWidth != 0 || s.CropHeight != 0):
		refuse("mode %v and a crop exclude each other", s.Mode)
	}
	if int(s.Filter) >= len(filterNames) {
		refuse("no such filter: %d", s.Filter)
	}
	if s.Bits != 0 && s.Bits != 8 && s.Bits != 16 {
		refuse("samples of %d bits", s.Bits)
	}
	if int(s.Profile) >= len(profileNames) {
		refuse("no such profile: %d", s.Profile)
	}
	return errors.Join(problems...)
}
