package image

import (
	"bytes"
	"encoding/binary"
)

// boxes reads the boxes of an ISO base media file, a format that JPEG 2000 and JPEG XL use too.
type boxes struct {
	rest []byte
	cut  bool // the data ends within the last box
}

// next reads a box. It reports false at the end of the data, and if the next box is truncated or invalid.
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
	case 0: // the box extends to the end of the file
		length = size
	case 1: // a length of 64 bits follows
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

// read reports whether all data was read as valid boxes.
func (b *boxes) read() bool { return len(b.rest) == 0 }

// heifTruncated reports whether a HEIF or AVIF file lacks the description of its images, or their data, which the
// description may contain. After both, a rest too short for a box header counts as padding.
func heifTruncated(data []byte) bool {
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

// jp2Unfinished reports whether a JPEG 2000 file lacks its codestream or the end of it.
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

// jxlTruncated reports whether a boxed JPEG XL file lacks its codestream, which is one box, or parts up to the one
// marked as last.
func jxlTruncated(data []byte) bool {
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

// j2kUnfinished parses the segments and tile parts of a JPEG 2000 codestream up to its end marker.
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
			return false // not a marker: the position is wrong
		case marker == startOfTilePart:
			if len(data)-pos < 12 {
				return true
			}
			length := int(binary.BigEndian.Uint32(data[pos+6:]))
			switch {
			case length == 0: // the tile part extends to the end marker, which packets cannot contain
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
