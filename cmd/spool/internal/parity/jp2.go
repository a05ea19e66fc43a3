package parity

import (
	"bytes"
	"encoding/binary"
)

// oddJP2 reports whether a JPEG 2000 file has a palette, subsampled components, or samples of more than 8 bits. For
// these, docs/jpeg2000.md documents differences from Pillow.
func oddJP2(data []byte) bool {
	const head, each = 38, 3 // bytes from the marker to the components, and of each component
	boxes, size, found := bytes.Cut(data, []byte("\xff\x4f\xff\x51"))
	if !found {
		return false
	}
	if len(size) < head {
		return false
	}
	if bytes.Contains(boxes, []byte("pclr")) {
		return true
	}
	count, components := int(binary.BigEndian.Uint16(size[head-2:])), size[head:]
	for ; count > 0 && len(components) >= each; count-- {
		if components[0]&0x7f >= 8 || components[1] != 1 || components[2] != 1 {
			return true
		}
		components = components[each:]
	}
	return false
}
