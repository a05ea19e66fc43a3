package mutate

import (
	"bytes"
	"math/bits"
	"strings"
)

// The kind of an EBML element is the number of bytes of its length. With unknownLength, its length is not known.
const unknownLength = 8

var ebml = container{
	is:    func(data []byte) bool { return bytes.HasPrefix(data, []byte("\x1A\x45\xDF\xA3")) },
	read:  func(data []byte) *element { return &element{parts: readEBML(data, mostLevels)} },
	write: writeEBML,
	layouts: map[string]layout{
		"\xA3": "1 2 1 1*", "\xA1": "1 2 1 1*", // blocks
		"\xE7": "1", "\xB3": "1", "\xF1": "1", "\x53\xAB": "4", "\x53\xAC": "2", "\x2A\xD7\xB1": "3", "\x44\x89": "8",
		"\xD7": "1", "\x73\xC5": "1", "\x83": "1", "\xB0": "2", "\xBA": "2", "\x54\xB0": "2", "\x54\xBA": "2", "\xB5": "8",
		"\x9F": "1", "\x62\x64": "1", "\x23\xE3\x83": "4", "\x9B": "1", "\xFB": "1", "\x56\xAA": "4", "\x56\xBB": "4",
	},
	foreign: element{name: "\xEC", kind: 1},
}

// masters are the elements of Matroska that hold others.
const masters = "\x1A\x45\xDF\xA3 \x18\x53\x80\x67 \x11\x4D\x9B\x74 \x4D\xBB \x15\x49\xA9\x66 \x16\x54\xAE\x6B " +
	"\xAE \xE0 \xE1 \x1F\x43\xB6\x75 \xA0 \x1C\x53\xBB\x6B \xBB \xB7 \x12\x54\xC3\x67 \x73\x73 \x63\xC0 " +
	"\x67\xC8 \x6D\x80 \x62\x40 \x50\x34 \x55\xB0 \x55\xD0"

func isMaster(name string) bool {
	for m := range strings.FieldsSeq(masters) {
		if m == name {
			return true
		}
	}
	return false
}

func readEBML(data []byte, levels int) []*element {
	return divide(data, func(data []byte, _ int) (*element, int) {
		id := bits.LeadingZeros8(data[0]) + 1
		if id > 4 || len(data) <= id {
			return nil, 0
		}
		width := bits.LeadingZeros8(data[id]) + 1
		if width > 8 || len(data) < id+width {
			return nil, 0
		}
		n := uint64(data[id]) & (1<<(8-width) - 1)
		for _, b := range data[id+1 : id+width] {
			n = n<<8 | uint64(b)
		}
		e := &element{name: string(data[:id]), kind: width}
		rest := data[id+width:]
		switch {
		case n == 1<<(7*width)-1:
			e.kind += unknownLength
		case n > uint64(len(rest)):
			return nil, 0
		default:
			rest = rest[:n]
		}
		if e.body = rest; isMaster(e.name) && levels > 0 {
			e.body, e.parts = nil, readEBML(rest, levels-1)
		}
		return e, id + width + len(rest)
	})
}

func writeEBML(to []byte, e *element, content []byte) []byte {
	to = append(to, e.name...)
	width, n := e.kind, uint64(len(content))
	if width > unknownLength {
		width -= unknownLength
		n = 1<<(7*width) - 1
	} else {
		for width < 8 && n >= 1<<(7*width)-1 {
			width++
		}
	}
	n |= 1 << (7 * width)
	for shift := 8 * (width - 1); shift >= 0; shift -= 8 {
		to = append(to, byte(n>>shift))
	}
	return append(to, content...)
}
