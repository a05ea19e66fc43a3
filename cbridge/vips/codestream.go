package vips

import (
	"bytes"
	"encoding/binary"
)

// codestream is the first n bytes of a JPEG XL codestream, or what there is of them, without the container that may be
// around it. There the codestream is in the box jxlc, whose length decoders do not look at, or in the boxes jxlp one
// after the other, each behind its number.
func codestream(data []byte, n int) []byte {
	const whole, part = "jxlc", "jxlp"
	if !bytes.HasPrefix(data, []byte("\x00\x00\x00\x0cJXL ")) {
		return data[:min(n, len(data))]
	}
	var head []byte
	for len(data) >= 8 && len(head) < n {
		size, kind, header := uint64(binary.BigEndian.Uint32(data)), string(data[4:8]), 8
		switch {
		case size == 0: // to the end of the file
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
