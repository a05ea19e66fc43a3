package decode

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/spoolmedia/spool"
)

// truncated reports whether a file of the format ends before its own structure does. true is a proof:
// something that the file announces lies beyond its end. false is none. Bare JPEG XL has no structure
// that could be read without decoding it, a number of plain PNM that lost digits is still a number,
// of a TIFF file only the first page is looked at, and contradictions are left to the decoder. The
// cost is linear in the data.
func truncated(f Format, data []byte) bool {
	switch f {
	case JPEG:
		return jpegCut(data)
	case PNG:
		return pngCut(data)
	case WebP:
		return len(data) < 12 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data))
	case GIF:
		return gifCut(data)
	case TIFF:
		return tiffCut(data, 0)
	case AVIF, HEIC:
		return heifCut(data)
	case JP2:
		return jp2Cut(data)
	case JXL:
		return jxlCut(data)
	case EXR:
		return exrCut(data)
	case BMP:
		return rasterCut(openBMP(data))
	case PNM:
		return rasterCut(openPNM(data, false))
	case TGA:
		return rasterCut(openTGA(data))
	}
	return false
}

// rasterCut judges what a lane of ours makes of a file.
func rasterCut(r raster, err error) bool {
	if err != nil {
		return errors.Is(err, spool.ErrTruncated)
	}
	return r.lines().complete < r.height
}

// jpegCut looks for the end-of-image marker, through all scans.
func jpegCut(data []byte) bool {
	for pos := 2; ; {
		marker, _, next := jpegSegment(data, pos)
		switch marker {
		case 0:
			return next == len(data)
		case jpegEOI:
			return false
		}
		pos = next
	}
}

// pngCut walks over the chunks to IEND.
func pngCut(data []byte) bool {
	for pos := 8; ; {
		if len(data)-pos < 12 { // length, name, checksum
			return true
		}
		length, name := binary.BigEndian.Uint32(data[pos:]), data[pos+4:pos+8]
		for _, c := range name {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				return false // not a chunk: its length means nothing
			}
		}
		switch {
		case length > math.MaxInt32:
			return false
		case int(length) > len(data)-pos-12:
			return true
		case string(name) == "IEND":
			return false
		}
		pos += 12 + int(length)
	}
}

// gifCut walks over the blocks to the trailer.
func gifCut(data []byte) bool {
	const header, descriptor = 13, 10
	table := func(flags byte) int { // of colours
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	if len(data) < header {
		return true
	}
	pos := header + table(data[10])
	for pos < len(data) {
		switch data[pos] {
		case ';':
			return false
		case '!':
			pos += 2 // and a label
		case ',':
			if len(data)-pos < descriptor {
				return true
			}
			pos += descriptor + table(data[pos+9]) + 1 // and the code size
		default:
			return false
		}
		for { // sub-blocks up to an empty one
			if pos >= len(data) {
				return true
			}
			n := int(data[pos])
			pos += 1 + n
			if n == 0 {
				break
			}
		}
	}
	return true
}
