package annotation

import "github.com/spoolmedia/spool/internal/enum"

// Format is the meaning of a box's four coordinates.
type Format uint8

// The formats, with torchvision's names.
const (
	XYXY   Format = iota // left, top, right, bottom
	XYWH                 // left, top, width, height: COCO's
	CXCYWH               // the center, width, height: YOLO's
)

var formatNames = enum.Names{"XYXY", "XYWH", "CXCYWH"}

// String returns the format's name.
func (f Format) String() string { return formatNames.Of("Format", uint8(f)) }

// MarshalText returns the format's name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText parses a format's name, in upper or lower case.
func (f *Format) UnmarshalText(text []byte) error { return enum.ParseFold(f, text, formatNames) }
