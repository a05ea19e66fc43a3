package mutate

import (
	"bytes"
	"encoding/binary"
)

// jpegSegment is a marker, a length, and what it counts. Everything else is verbatim.
const jpegSegment = 1

var jpegFiles = container{
	is:    func(data []byte) bool { return bytes.HasPrefix(data, []byte{0xFF, 0xD8, 0xFF}) },
	read:  readJPEG,
	write: writeSegment,
	layouts: map[string]layout{
		"\xC0": "1221 1*", "\xC1": "1221 1*", "\xC2": "1221 1*", "\xC3": "1221 1*", "\xC9": "1221 1*", "\xCA": "1221 1*",
		"\xDA": "1*", "\xDD": "2", "\xE0": "5212211", "\xE1": "6 224 2 2244*", "\xEE": "52221",
		"huffman": "1*", "quantum": "1*",
	},
	foreign: element{name: "\xEB", kind: jpegSegment},
}

// writeSegment writes a segment of JPEG or JPEG 2000. Its length counts itself.
func writeSegment(to []byte, e *element, content []byte) []byte {
	to = append(append(to, 0xFF), e.name...)
	return append(binary.BigEndian.AppendUint16(to, uint16(len(content)+2)), content...)
}

func readJPEG(data []byte) *element {
	return &element{body: data[:2], parts: divide(data[2:], jpegElement)}
}

// jpegElement reads a segment, a marker without one, or coded data. Coded data behind a restart marker belong to it.
func jpegElement(data []byte, _ int) (*element, int) {
	if len(data) < 2 || data[0] != 0xFF || data[1] == 0 || data[1] == 0xFF {
		n := 1 + untilMarker(data[1:])
		return &element{name: "scan", body: data[:n]}, n
	}
	switch marker := data[1]; {
	case marker >= 0xD0 && marker <= 0xD7:
		n := 2 + untilMarker(data[2:])
		return &element{name: "restart", head: data[:2], body: data[2:n]}, n
	case marker == 1, marker >= 0xD8 && marker <= 0xD9:
		return &element{name: "marker", body: data[:2]}, 2
	}
	return segment(data, jpegSegment, tables)
}

// segment reads a segment that is whole.
func segment(data []byte, kind int, split func(e *element)) (*element, int) {
	if len(data) < 4 || data[0] != 0xFF {
		return nil, 0
	}
	n := 2 + int(binary.BigEndian.Uint16(data[2:]))
	if n < 4 || n > len(data) {
		return nil, 0
	}
	e := &element{name: string(data[1:2]), kind: kind, body: data[4:n]}
	if split != nil {
		split(e)
	}
	return e, n
}

// untilMarker returns the number of bytes in front of a marker.
func untilMarker(data []byte) int {
	for i := 0; i+1 < len(data); i++ {
		if data[i] == 0xFF && data[i+1] != 0 && data[i+1] != 0xFF {
			return i
		}
	}
	return len(data)
}

// tables makes the tables of a segment its parts.
func tables(e *element) {
	switch e.name {
	case "\xC4":
		e.body, e.parts = nil, divide(e.body, func(data []byte, _ int) (*element, int) {
			if len(data) < 17 {
				return nil, 0
			}
			n := 17
			for _, codes := range data[1:17] {
				n += int(codes)
			}
			return table("huffman", data, n)
		})
	case "\xDB":
		e.body, e.parts = nil, divide(e.body, func(data []byte, _ int) (*element, int) {
			return table("quantum", data, 65+64*int(data[0]>>4&1))
		})
	}
}

func table(name string, data []byte, n int) (*element, int) {
	if n > len(data) {
		return nil, 0
	}
	return &element{name: name, body: data[:n]}, n
}
