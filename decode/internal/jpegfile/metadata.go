package jpegfile

import (
	"bytes"
	"slices"
)

// Prefixes of segments.
const (
	exifPrefix = "Exif\x00" // one byte of padding follows
	iccPrefix  = "ICC_PROFILE\x00"
)

// Metadata finds the Exif data and the color profile of a JPEG file, in one pass over the segments before the first
// scan. Each is nil if it is missing or incomplete.
func Metadata(data []byte) (exif, profile []byte) {
	var icc profileParts
	for pos, first := 2, true; ; {
		marker, body, next := segment(data, pos)
		switch marker {
		case 0, sos, EOI:
			return exif, icc.whole()
		case app1:
			// As in torchvision, only the first APP1 segment counts: Exif data after an XMP segment are ignored.
			if first && len(body) > len(exifPrefix) && bytes.HasPrefix(body, []byte(exifPrefix)) {
				exif = body[len(exifPrefix)+1:]
			}
			first = false
		case app2:
			icc.add(body)
		}
		pos = next
	}
}

// profileParts are the parts of a color profile, which may be split over several APP2 segments, numbered from 1
// (ICC.1:2010, B.4).
type profileParts struct {
	parts   [][]byte
	invalid bool
}

func (p *profileParts) add(body []byte) {
	head := len(iccPrefix) + 2 // the segment's number and the count of segments
	if p.invalid || len(body) <= head || string(body[:len(iccPrefix)]) != iccPrefix {
		return
	}
	number, count := int(body[head-2]), int(body[head-1])
	if p.parts == nil {
		p.parts = make([][]byte, count)
	}
	if number < 1 || number > len(p.parts) || count != len(p.parts) || p.parts[number-1] != nil {
		p.invalid = true
		return
	}
	p.parts[number-1] = body[head:]
}

// whole is the profile, nil if a part is missing.
func (p *profileParts) whole() []byte {
	switch {
	case p.invalid || slices.ContainsFunc(p.parts, func(part []byte) bool { return part == nil }):
		return nil
	case len(p.parts) == 1:
		return p.parts[0]
	}
	return slices.Concat(p.parts...)
}
