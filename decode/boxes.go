package decode

import (
	"bytes"
	"encoding/binary"
)

// boxes reads the boxes of an ISO base media file, or of JPEG 2000 and JPEG XL, which took them over.
type boxes struct {
	rest []byte
	cut  bool // the data ended before the last box did
}

// next reads a box. It reports false where there is no further one, or no whole one, or what comes is
// no box at all.
func (b *boxes) next() (kind string, body []byte, ok bool) {
	size := uint64(len(b.rest))
	if size == 0 {
		return "", nil, false
	}
	if b.cut = size < 8; b.cut {
		return "", nil, false
	}
	for _, c := range b.rest[4:8] {
		if c < ' ' || c > '~' {
			return "", nil, false
		}
	}
	kind = string(b.rest[4:8])
	head, length := uint64(8), uint64(binary.BigEndian.Uint32(b.rest))
	switch length {
	case 0: // up to the end of the file
		length = size
	case 1: // more than 32 bits can say
		if b.cut = size < 16; b.cut {
			return "", nil, false
		}
		head, length = 16, binary.BigEndian.Uint64(b.rest[8:])
	}
	if b.cut = length > size; b.cut || length < head {
		return "", nil, false
	}
	body, b.rest = b.rest[head:length], b.rest[length:]
	return kind, body, true
}

// read reports whether all boxes were read, and none was odd.
func (b *boxes) read() bool { return len(b.rest) == 0 }

// heifCut wants the description of the pictures, and their data, which the description may hold
// itself. Behind these, what is too short to begin a box is taken for padding.
func heifCut(data []byte) bool {
	b := boxes{rest: data}
	described, held := false, false
	for kind, body, ok := b.next(); ok; kind, body, ok = b.next() {
		switch kind {
		case "meta", "moov":
			described = true
			held = held || bytes.Contains(body, []byte("idat"))
		case "mdat":
			held = true
		}
	}
	if described && held {
		return b.cut && len(b.rest) >= 8
	}
	return b.cut || b.read()
}

// jp2Unfinished wants the codestream, and its end.
func jp2Unfinished(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xff}) {
		return j2kUnfinished(data)
	}
	b := boxes{rest: data}
	for kind, body, ok := b.next(); ok; kind, body, ok = b.next() {
		if kind == "jp2c" {
			return j2kUnfinished(body)
		}
	}
	return b.cut || b.read()
}

// jxlCut wants the codestream of a boxed file: one box, or parts up to the one that is marked the last.
func jxlCut(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xff}) {
		return len(data) < 2
	}
	b := boxes{rest: data}
	for kind, body, ok := b.next(); ok; kind, body, ok = b.next() {
		if kind == "jxlc" || kind == "jxlp" && len(body) > 0 && body[0]&0x80 != 0 {
			return false
		}
	}
	return b.cut || b.read()
}

// j2kUnfinished walks over the segments and tile parts of a JPEG 2000 codestream to its end marker.
func j2kUnfinished(data []byte) bool {
	const endOfCodestream, startOfTilePart = 0xffd9, 0xff90
	for pos := 2; ; {
		if len(data)-pos < 2 {
			return true
		}
		marker := binary.BigEndian.Uint16(data[pos:])
		switch {
		case marker == endOfCodestream:
			return false
		case marker < 0xff00:
			return false // not a marker: the walk has lost its way
		case marker == startOfTilePart:
			if len(data)-pos < 12 {
				return true
			}
			length := int(binary.BigEndian.Uint32(data[pos+6:]))
			switch {
			case length == 0: // up to the end marker, which packets cannot contain
				return !bytes.Contains(data[pos:], []byte{0xff, 0xd9})
			case length < 14:
				return false
			}
			pos += length
		default:
			if len(data)-pos < 4 {
				return true
			}
			pos += 2 + int(binary.BigEndian.Uint16(data[pos+2:]))
		}
	}
}
