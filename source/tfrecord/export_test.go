package tfrecord

import (
	"encoding/binary"
	"slices"
)

// Mend makes the checksums of the lengths right.
func Mend(data []byte) []byte {
	data = slices.Clone(data)
	for at := 0; at+headBytes <= len(data); {
		binary.LittleEndian.PutUint32(data[at+8:], masked(data[at:at+8]))
		length := binary.LittleEndian.Uint64(data[at:])
		if length > uint64(len(data)) {
			break
		}
		at += headBytes + int(length) + tailBytes
	}
	return data
}
