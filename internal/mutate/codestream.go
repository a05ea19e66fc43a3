package mutate

import (
	"bytes"
	"encoding/binary"
)

// Elements of a JPEG 2000 codestream: a tile-part has a length of all its segments and data. That of the last one may
// be absent.
const (
	streamSegment = 1 + iota
	tilePart
	lastTilePart
)

var codestream = container{
	is: func(data []byte) bool { return bytes.HasPrefix(data, []byte{0xFF, 0x4F, 0xFF, 0x51}) },
	read: func(data []byte) *element {
		return &element{parts: readCodestream(data)}
	},
	write:   writeCodestream,
	layouts: boxes.layouts,
	foreign: element{name: "\x64", kind: streamSegment},
}

func readCodestream(data []byte) []*element {
	return divide(data, func(data []byte, _ int) (*element, int) {
		switch {
		case len(data) < 2 || data[0] != 0xFF:
			return nil, 0
		case data[1] == 0x4F, data[1] == 0xD9:
			return &element{name: "marker", body: data[:2]}, 2
		case data[1] == 0x90 && len(data) >= 12:
			return readTilePart(data)
		}
		return segment(data, streamSegment, nil)
	})
}

func readTilePart(data []byte) (*element, int) {
	e, n := &element{name: "\x90", kind: tilePart, body: data[4:12]}, int(binary.BigEndian.Uint32(data[6:]))
	if n == 0 {
		e.kind, n = lastTilePart, len(data)
		if bytes.HasSuffix(data, []byte{0xFF, 0xD9}) {
			n -= 2
		}
	}
	if n < 12 || n > len(data) {
		return nil, 0
	}
	e.parts = divide(data[12:n], func(data []byte, _ int) (*element, int) {
		if len(data) >= 2 && data[0] == 0xFF && data[1] == 0x93 {
			return &element{name: "data", head: data[:2], body: data[2:]}, len(data)
		}
		return segment(data, streamSegment, nil)
	})
	return e, n
}

func writeCodestream(to []byte, e *element, content []byte) []byte {
	if e.kind == streamSegment || len(e.body) < 8 {
		return writeSegment(to, e, content)
	}
	length := uint32(len(content) + 4)
	if e.kind == lastTilePart {
		length = 0
	}
	from := len(to) + 4
	to = append(append(to, 0xFF, 0x90, 0, 10), content...)
	binary.BigEndian.PutUint32(to[from+2:], length)
	return to
}
