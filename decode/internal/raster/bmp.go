package raster

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/spoolmedia/spool"
)

// Compression methods of a BMP file.
const (
	bmpRGB = iota
	BMPRLE8
	BMPRLE4
	BMPBitFields
)

const BMPFileHeader = 14 // bytes before the header that describes the image

// BMPHeader is the content of a BMP file's headers.
type BMPHeader struct {
	width, height int
	topDown       bool
	Depth         int // bits of a pixel
	Compression   uint32
	masks         [4]uint32 // red, green, blue, alpha
	Palette       *colors   // for up to 8 bits a pixel
	Pixels        []byte    // from the first row on
}

// OpenBMP reads Windows bitmaps of versions 1 to 5 and OS/2 bitmaps: palettes; 16, 24 and 32 bits; bit fields without
// gaps; RLE4 and RLE8. Pixels are those of Pillow, except for two kinds of palettes. Pillow treats these as grayscale
// and then reads them at a wrong depth: 4 bits with the grays 0, 1, 2, ..., and 4 or 8 bits with only black and white.
func OpenBMP(data []byte) (Image, error) {
	h, err := ParseBMP(data)
	if err != nil {
		return Image{}, err
	}
	r := Image{Width: h.width, Height: h.height, Channels: 3, Bits: 8}
	if h.Palette != nil && h.Palette.gray() {
		r.Channels = 1
	}
	if h.masks[3] != 0 {
		r.Channels, r.Alpha = 4, true
	}
	unpack, err := h.unpacker(r.Channels)
	if err != nil {
		return Image{}, err
	}
	if h.Compression == BMPRLE8 || h.Compression == BMPRLE4 {
		r.Lines = func() Rows { return h.runs(unpack) }
		return r, nil
	}
	s := stored{data: h.Pixels, stride: (h.width*h.Depth + 31) / 32 * 4, used: (h.width*h.Depth + 7) / 8}
	r.Lines = func() Rows {
		return Rows{Complete: s.complete(h.height), bottomUp: !h.topDown, unpack: func(dst []byte, line int) error {
			unpack(dst, s.row(line))
			return nil
		}}
	}
	return r, nil
}

// ParseBMP reads the headers, masks and palette.
func ParseBMP(data []byte) (BMPHeader, error) {
	if len(data) < BMPFileHeader+4 {
		return BMPHeader{}, fault(spool.ErrTruncated, "a BMP header of %d bytes", len(data))
	}
	le := binary.LittleEndian
	size := int(le.Uint32(data[BMPFileHeader:]))
	switch size {
	case 12, 40, 52, 56, 64, 108, 124:
	default:
		return BMPHeader{}, fault(spool.ErrUnsupported, "a BMP header of %d bytes", size)
	}
	end := BMPFileHeader + size
	if len(data) < end {
		return BMPHeader{}, fault(spool.ErrTruncated, "the BMP header ends after %d of %d bytes", len(data)-BMPFileHeader,
			size)
	}
	var h BMPHeader
	head := data[BMPFileHeader:end]
	entry, entries := 4, 0 // bytes of a palette entry, and their number
	if size == 12 {
		h.width, h.height = int(le.Uint16(head[4:])), int(le.Uint16(head[6:]))
		h.Depth, entry = int(le.Uint16(head[10:])), 3
	} else {
		h.width, h.height = int(int32(le.Uint32(head[4:]))), int(int32(le.Uint32(head[8:])))
		h.topDown, h.height = h.height < 0, max(h.height, -h.height)
		h.Depth, h.Compression = int(le.Uint16(head[14:])), le.Uint32(head[16:])
		entries = int(le.Uint32(head[32:]))
	}
	if h.width <= 0 || h.height <= 0 || h.height > math.MaxInt32 {
		return h, fault(spool.ErrCorrupt, "a BMP image of %dx%d: width and height must be positive", h.width, h.height)
	}
	if h.Compression == BMPBitFields {
		if size == 40 { // the masks follow the header
			if len(data) < end+12 {
				return h, fault(spool.ErrTruncated, "the BMP header ends before its masks")
			}
			end += 12
		}
		h.readMasks(data[BMPFileHeader:end])
	}
	start := int(le.Uint32(data[10:])) // offset of the pixels
	if h.Depth <= 8 {
		if entries == 0 {
			entries = 1 << h.Depth
		}
		if entries > 1<<16 {
			return h, fault(spool.ErrCorrupt, "a BMP palette of %d colors", entries)
		}
		palette := data[end:min(end+entry*entries, len(data))]
		if start == end { // some writers leave the palette out of the offset
			start = 0
		}
		end += len(palette)
		h.Palette = newColors()
		for i := 0; i < len(h.Palette) && len(palette) >= entry; i++ {
			h.Palette[i] = [4]byte{palette[2], palette[1], palette[0], 0xff}
			palette = palette[entry:]
		}
	}
	if start == 0 {
		start = end
	}
	h.Pixels = data[min(start, len(data)):]
	return h, nil
}

// readMasks reads the masks from the end of a short header or the middle of a long one. As in Pillow, only files of 32
// bits a pixel have alpha, if the header has a mask for it.
func (h *BMPHeader) readMasks(head []byte) {
	for i := range h.masks[:3] {
		h.masks[i] = binary.LittleEndian.Uint32(head[40+4*i:])
	}
	if len(head) >= 56 && h.Depth == 32 {
		h.masks[3] = binary.LittleEndian.Uint32(head[52:])
	}
	if h.Depth == 32 && h.masks == [4]uint32{} {
		h.masks = [4]uint32{0xff0000, 0xff00, 0xff, 0xff000000}
	}
}

// unpacker returns how a row becomes pixels. For RLE the row is the decoded palette indices, a byte each.
func (h *BMPHeader) unpacker(channels int) (unpacker, error) {
	switch h.Compression {
	case BMPRLE8, BMPRLE4:
		if h.Palette == nil || h.Depth != 8 && h.Compression == BMPRLE8 || h.Depth != 4 && h.Compression == BMPRLE4 {
			return nil, fault(spool.ErrCorrupt, "BMP runs of %d bits a pixel", h.Depth)
		}
		if h.height > bmpMaxLines {
			return nil, fault(spool.ErrTooLarge, "%d lines of compressed BMP, the limit is %d", h.height, bmpMaxLines)
		}
		return h.Palette.unpack(8, channels), nil
	case bmpRGB:
		switch h.Depth {
		case 1, 4, 8:
			return h.Palette.unpack(h.Depth, channels), nil
		case 16:
			h.masks = [4]uint32{0x7c00, 0x3e0, 0x1f}
			return h.fields(channels)
		case 24, 32:
			return unpackBytes(h.Depth/8, 2, 1, 0), nil
		}
		return nil, fault(spool.ErrUnsupported, "BMP of %d bits a pixel", h.Depth)
	case BMPBitFields:
		switch h.Depth {
		case 16, 24, 32:
			return h.fields(channels)
		}
		return nil, fault(spool.ErrUnsupported, "BMP bit fields of %d bits a pixel", h.Depth)
	}
	return nil, fault(spool.ErrUnsupported, "BMP compression %d", h.Compression)
}

// fields returns the unpacker for the header's masks.
func (h *BMPHeader) fields(channels int) (unpacker, error) {
	var fields []field
	var at []int // byte offsets of the channels that are whole bytes
	for _, mask := range h.masks[:channels] {
		f, ok := newField(mask)
		if !ok || bits.Len32(mask) > h.Depth {
			return nil, fault(spool.ErrUnsupported, "BMP bit fields %08x", h.masks)
		}
		fields = append(fields, f)
		if first := bits.TrailingZeros32(mask); first%8 == 0 && mask>>first == 0xff {
			at = append(at, first/8)
		}
	}
	switch {
	case len(at) == channels:
		return unpackBytes(h.Depth/8, at...), nil
	case h.Depth == 24:
		return nil, fault(spool.ErrUnsupported, "BMP bit fields %08x", h.masks)
	}
	return unpackFields(h.Depth/8, fields...), nil
}
