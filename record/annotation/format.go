package annotation

import (
	"fmt"
	"slices"
	"strings"
)

// Format is the meaning of a box's four coordinates.
type Format uint8

// The formats, with torchvision's names.
const (
	XYXY   Format = iota // left, top, right, bottom
	XYWH                 // left, top, width, height: COCO's
	CXCYWH               // the center, width, height: YOLO's
)

var formatNames = [...]string{"XYXY", "XYWH", "CXCYWH"}

// String returns the format's name.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// MarshalText returns the format's name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText parses a format's name, in upper or lower case.
func (f *Format) UnmarshalText(text []byte) error {
	i := slices.IndexFunc(formatNames[:], func(name string) bool { return strings.EqualFold(name, string(text)) })
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, formatNames)
	}
	*f = Format(i)
	return nil
}
