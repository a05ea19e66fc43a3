package resize

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/invalid"
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

var modeNames = enum.Names{"stretch", "fit", "cover"}

// String returns the mode's name on the command line.
func (m Mode) String() string { return modeNames.Of("Mode", uint8(m)) }

// MarshalText returns the mode's name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses a mode's name.
func (m *Mode) UnmarshalText(text []byte) error { return enum.Parse(m, text, modeNames) }

// Spec describes the size and geometry of resized images. Its zero value leaves every image at its own size. Sizes are
// in pixels; 0 means unset. An image is first cropped to Box, then resized, by Width and Height, by Shorter and MaxSize
// or by Snap, then cropped, and finally flipped.
type Spec struct {
	// Box is the crop of the upright image that is used as if it were the image: the resize reads no pixel outside it. The
	// zero Rect is the whole image.
	Box Rect

	Width, Height         int      // the size of the result, by Mode; both or none
	Mode                  Mode     // default Stretch
	Shorter               int      // the length of the shorter side; excludes Width and Height
	MaxSize               int      // the most for the longer side, above Shorter; without Shorter, its length
	Snap                  Snap     // sides that are multiples of a number; excludes all other sizes, not Box
	CropWidth, CropHeight int      // a crop from the center; both or none, not with Fit or Cover
	CropRight, CropDown   int      // offset of the crop from the center; negative: to the left, up
	Filter                Filter   // default Bilinear
	Profile               Profile  // default Exact
	Bits                  int      // of the resized samples: 8 (as is 0), or 16, which has its own rule
	PadColor              [3]uint8 // red, green and blue of the canvas outside the image; default black

	FlipX, FlipY bool // mirror the result, left to right and top to bottom
}

// Validate returns all problems of the spec, each a *spool.OptionError.
func (s Spec) Validate() error {
	var bad invalid.Options
	for _, edge := range [...]struct {
		name  string
		value int
	}{
		{"Width", s.Width}, {"Height", s.Height}, {"Shorter", s.Shorter}, {"MaxSize", s.MaxSize},
		{"CropWidth", s.CropWidth}, {"CropHeight", s.CropHeight},
	} {
		switch {
		case edge.value < 0:
			bad.Value(edge.name, edge.value, "must not be negative")
		case edge.value > MaxEdge:
			bad.Value(edge.name, edge.value, "must be at most %d", MaxEdge)
		}
	}
	if text := s.Box.problem(); text != "" {
		bad.Value("Box", s.Box, "%s", text)
	}
	sized := s.Width != 0 || s.Height != 0
	if sized && (s.Width == 0 || s.Height == 0) {
		bad.Values([]spool.Option{{Name: "Width", Value: s.Width}, {Name: "Height", Value: s.Height}}, "set both, or neither")
	}
	if (s.CropWidth == 0) != (s.CropHeight == 0) {
		bad.Values([]spool.Option{{Name: "CropWidth", Value: s.CropWidth}, {Name: "CropHeight", Value: s.CropHeight}},
			"set both, or neither")
	}
	switch offset := max(s.CropRight, s.CropDown, -s.CropRight, -s.CropDown); {
	case offset > 0 && s.CropWidth == 0 && s.CropHeight == 0:
		bad.Needs(invalid.Named("CropRight", "CropDown"), cropSize(), "")
	case offset > MaxEdge || min(s.CropRight, s.CropDown) < -MaxEdge:
		bad.Values([]spool.Option{{Name: "CropRight", Value: s.CropRight}, {Name: "CropDown", Value: s.CropDown}},
			"must be at most %d", MaxEdge)
	}
	if sized && s.Shorter != 0 {
		bad.Excludes(resultSize(), invalid.Named("Shorter"), "set one of them")
	}
	switch {
	case s.MaxSize > 0 && sized:
		bad.Excludes(resultSize(), invalid.Named("MaxSize"), "set one of them")
	case s.MaxSize > 0 && s.MaxSize <= s.Shorter:
		bad.Values([]spool.Option{{Name: "MaxSize", Value: s.MaxSize}, {Name: "Shorter", Value: s.Shorter}},
			"the longer side must have more pixels than the shorter one")
	}
	switch {
	case int(s.Mode) >= len(modeNames):
		bad.Value("Mode", uint8(s.Mode), "no such mode")
	case s.Mode != Stretch && !sized:
		bad.Needs(invalid.With("Mode", s.Mode), resultSize(), "")
	case s.Mode != Stretch && (s.CropWidth != 0 || s.CropHeight != 0):
		bad.Excludes(invalid.With("Mode", s.Mode), cropSize(), "it gives the size of the result")
	}
	if int(s.Filter) >= len(filterNames) {
		bad.Value("Filter", uint8(s.Filter), "no such filter")
	}
	if s.Bits != 0 && s.Bits != 8 && s.Bits != 16 {
		bad.Value("Bits", s.Bits, "must be 8 or 16")
	}
	if int(s.Profile) >= len(profileNames) {
		bad.Value("Profile", uint8(s.Profile), "no such profile")
	}
	s.Snap.validate(s, &bad)
	return bad.Err()
}

// Resizes reports whether images get another size than their own, before they are cropped.
func (s Spec) Resizes() bool {
	return s.Width != 0 || s.Shorter != 0 || s.MaxSize != 0 || s.Snap.Multiple != 0
}

func resultSize() []spool.Option { return invalid.Named("Width", "Height") }

func cropSize() []spool.Option { return invalid.Named("CropWidth", "CropHeight") }
