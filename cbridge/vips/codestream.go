package vips

import (
	"bytes"
	"encoding/binary"
)

// codestream returns up to n first bytes of a JPEG XL codestream, without its optional container. In a container, the
// codestream is in the box jxlc, whose length decoders ignore, or in consecutive boxes jxlp, each after its number.
func codestream(data []byte, n int) []byte {
	const whole, part = "jxlc", "jxlp"
	if !bytes.HasPrefix(data, []byte("\x00\x00\x00\x0cJXL ")) {
		return data[:min(n, len(data))]
	}
	var head []byte
	for len(data) >= 8 && len(head) < n {
		size, kind, header := uint64(binary.BigEndian.Uint32(data)), string(data[4:8]), 8
		switch {
		case size == 0: // up to the end of the file
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			size, header = binary.BigEndian.Uint64(data[8:]), 16
		}
		if kind == whole && header <= len(data) {
			return data[header:min(header+n, len(data))]
		}
		if kind == part {
			header += 4
		}
		if size < uint64(header) {
			break
		}
		end := int(min(size, uint64(len(data))))
		if kind == part && end >= header {
			head = append(head, data[header:min(end, header+n)]...)
		}
		data = data[end:]
	}
	return head
}
