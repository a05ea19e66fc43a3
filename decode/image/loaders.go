package image

import (
	"fmt"
	"github.com/spoolmedia/spool/decode/image/format"
	"strings"
)

// Loaders is a set of loaders that are blocked unless a caller allows them: their libraries are large and not made for
// untrusted input.
type Loaders uint8

const (
	AllowSVG Loaders = 1 << iota
	AllowEXR
	AllowHDR
	AllowPDF
	AllowMagick // ImageMagick, for formats that no other lane decodes
)

var loaderNames = [...]string{"svg", "exr", "hdr", "pdf", "magick"}

// String is the loaders' names on the command line, separated by commas.
func (l Loaders) String() string {
	var names []string
	for i, name := range loaderNames {
		if l&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText gives the names as String does.
func (l Loaders) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText takes names separated by commas. The empty text means none.
func (l *Loaders) UnmarshalText(text []byte) error {
	var all Loaders
next:
	for name := range strings.SplitSeq(string(text), ",") {
		for i, known := range loaderNames {
			if name == known {
				all |= 1 << i
				continue next
			}
		}
		if len(text) > 0 {
			return fmt.Errorf("%q is not one of %q", name, loaderNames)
		}
	}
	*l = all
	return nil
}

// loaderOf returns the loader that must be allowed for a format, or 0 if the format needs no permission.
func loaderOf(f format.Format) Loaders {
	switch {
	case f == format.SVG:
		return AllowSVG
	case f == format.EXR:
		return AllowEXR
	case f == format.HDR:
		return AllowHDR
	case f == format.PDF:
		return AllowPDF
	case format.PSD <= f && f <= format.DjVu:
		return AllowMagick
	}
	return 0
}
