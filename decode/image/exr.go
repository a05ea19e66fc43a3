package image

import (
	"bytes"
	"encoding/binary"
)

// exrLines is the number of rows in a chunk of an OpenEXR file, by compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44,
// B44A, DWAA, DWAB.
var exrLines = [...]int64{1, 1, 1, 16, 32, 16, 32, 32, 32, 256}

// exrTruncated reports whether an OpenEXR file is truncated. It parses the attributes of the header: name and type,
// each terminated by a zero, the length of the value, and the value; an empty name ends them. In a single-part file
// with scanlines, the table of chunks follows. The format is described in openexr.com's "OpenEXR File Layout".
func exrTruncated(data []byte) bool {
	const magicAndVersion, tiledOrManyParts = 8, 0x1A00
	if len(data) < magicAndVersion {
		return true
	}
	kinds := binary.LittleEndian.Uint32(data[4:])
	var compression, height int64 = -1, -1
	for rest := data[magicAndVersion:]; ; {
		name, behind, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return true
		}
		if len(name) == 0 {
			rows := kinds&tiledOrManyParts == 0 && 0 <= compression && compression < int64(len(exrLines)) && height > 0
			return rows && exrChunksTruncated(data, behind, (height+exrLines[compression]-1)/exrLines[compression])
		}
		_, behind, ok = bytes.Cut(behind, []byte{0})
		if !ok || len(behind) < 4 {
			return true
		}
		length := binary.LittleEndian.Uint32(behind)
		if uint64(length) > uint64(len(behind)-4) {
			return true
		}
		value := behind[4 : 4+length]
		switch {
		case string(name) == "compression" && length == 1:
			compression = int64(value[0])
		case string(name) == "dataWindow" && length == 16: // left, top, right, bottom, inclusive
			height = int64(int32(binary.LittleEndian.Uint32(value[12:]))) -
				int64(int32(binary.LittleEndian.Uint32(value[4:]))) + 1
		}
		rest = behind[4+length:]
	}
}

// exrChunksTruncated reports whether the data end before the last chunk does. A chunk begins with its first row and its
// length.
func exrChunksTruncated(data, table []byte, chunks int64) bool {
	if int64(len(table)) < 8*chunks {
		return true
	}
	last := binary.LittleEndian.Uint64(table[8*(chunks-1):])
	if last > uint64(len(data)) || uint64(len(data))-last < 8 {
		return last < 1<<40 // a larger value is no offset
	}
	return uint64(binary.LittleEndian.Uint32(data[last+4:])) > uint64(len(data))-last-8
}
