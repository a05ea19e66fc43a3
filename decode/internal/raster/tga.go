package raster

import (
	"bytes"
	"encoding/binary"

	"github.com/spoolmedia/spool"
)

// Types of TGA images. tgaRuns is added for compressed ones.
const (
	TGAMapped = 1
	TGAColor  = 2
	TGAGray   = 3
	TGARuns   = 8
)

// TGAHeader is the header of a TGA file.
type TGAHeader struct {
	width, height int
	kind          byte
	runs          bool // compressed
	depth         int  // bits a pixel
	Mapped        bool // has a color map, used or not
	first, Colors int  // index of its first color, and their number
	colorDepth    int  // bits of each color
	bottomUp      bool
	rightToLeft   bool
	body          int // offset of the color map, or else of the pixels
}

// OpenTGA reads TGA files: color-mapped, true-color and gray images of 8, 15, 16, 24 and 32 bits, compressed or not,
// with any origin. Of Pillow's extensions it reads gray with alpha, and single bits. Pixels are Pillow's, including the
// alpha of 16-bit colors, which is the inverse of the highest bit.
func OpenTGA(data []byte) (Image, error) {
	h, err := ParseTGA(data)
	if err != nil {
		return Image{}, err
	}
	pixels := h.body + h.Colors*bytesOf(h.colorDepth)
	if pixels > len(data) {
		return Image{}, fault(spool.ErrTruncated, "the TGA color map ends after %d of %d bytes", max(0, len(data)-h.body),
			pixels-h.body)
	}
	r := Image{Width: h.width, Height: h.height, Bits: 8}
	var unpack unpacker
	switch {
	case h.kind == TGAMapped:
		var p *colors
		p, r.Channels = h.palette(data[h.body:pixels])
		unpack = p.unpack(8, r.Channels)
	case h.kind == TGAColor:
		unpack, r.Channels = tgaColors(h.depth, tgaOpaque(data))
	case h.depth == 1:
		p := newColors()
		p[1] = [4]byte{0xff, 0xff, 0xff, 0xff}
		unpack, r.Channels, r.Bits = p.unpack(1, 1), 1, 1
	case h.depth == 8:
		unpack, r.Channels = unpackBytes(1, 0), 1
	default:
		unpack, r.Channels = unpackBytes(2, 0, 0, 0, 1), 4
	}
	r.Alpha = r.Channels == 4
	if h.rightToLeft {
		stored := unpack
		unpack = func(dst, src []byte) {
			stored(dst, src)
			mirror(dst, r.Channels)
		}
	}
	r.Lines = func() Rows { return h.lines(data[pixels:], unpack) }
	return r, nil
}

// ParseTGA reads a header.
func ParseTGA(data []byte) (TGAHeader, error) {
	if len(data) < 18 {
		return TGAHeader{}, fault(spool.ErrTruncated, "a TGA header of %d bytes", len(data))
	}
	le := binary.LittleEndian
	h := TGAHeader{
		width: int(le.Uint16(data[12:])), height: int(le.Uint16(data[14:])),
		kind: data[2] &^ TGARuns, runs: data[2]&TGARuns != 0, depth: int(data[16]),
		bottomUp: data[17]&0x20 == 0, rightToLeft: data[17]&0x10 != 0,
		body: 18 + int(data[0]),
	}
	switch {
	case data[1] > 1:
		return h, fault(spool.ErrCorrupt, "a TGA image with color map type %d: must be 0 or 1", data[1])
	case h.width == 0 || h.height == 0:
		return h, fault(spool.ErrCorrupt, "a TGA image of %dx%d: width and height must be positive", h.width, h.height)
	case data[1] == 1:
		h.Mapped, h.first, h.Colors, h.colorDepth = true, int(le.Uint16(data[3:])), int(le.Uint16(data[5:])), int(data[7])
	case h.kind == TGAMapped:
		return h, fault(spool.ErrCorrupt, "a TGA image without its color map")
	}
	if h.Mapped {
		switch {
		case h.colorDepth != 15 && h.colorDepth != 16 && h.colorDepth != 24 && h.colorDepth != 32:
			return h, fault(spool.ErrUnsupported, "a TGA color map of %d bits", h.colorDepth)
		case h.first+h.Colors > 256:
			return h, fault(spool.ErrCorrupt, "a TGA color map of %d colors from index %d", h.Colors, h.first)
		}
	}
	known := false
	switch h.kind {
	case TGAMapped:
		known = h.depth == 8
	case TGAColor:
		known = h.depth == 15 || h.depth == 16 || h.depth == 24 || h.depth == 32
	case TGAGray:
		known = h.depth == 8 || h.depth == 16 || h.depth == 1 && !h.runs
	}
	if !known {
		return h, fault(spool.ErrUnsupported, "TGA of type %d with %d bits a pixel", data[2], h.depth)
	}
	return h, nil
}

// bytesOf is the number of bytes for so many bits.
func bytesOf(bits int) int { return (bits + 7) / 8 }

// tgaColors unpacks colors of 15, 16, 24 or 32 bits.
func tgaColors(depth int, opaque bool) (unpack unpacker, channels int) {
	switch {
	case depth == 24:
		return unpackBytes(3, 2, 1, 0), 3
	case depth == 32 && opaque:
		return unpackBytes(4, 2, 1, 0), 3
	case depth == 32:
		return unpackBytes(4, 2, 1, 0, 3), 4
	}
	red, _ := newField(0x7c00)
	green, _ := newField(0x3e0)
	blue, _ := newField(0x1f)
	if depth == 15 || opaque {
		return unpackFields(2, red, green, blue), 3
	}
	alpha, _ := newField(0x8000)
	alpha.value = [256]byte{0: 0xff}
	return unpackFields(2, red, green, blue, alpha), 4
}

// tgaOpaque reports whether the extension area declares no alpha, whatever the pixels hold.
func tgaOpaque(data []byte) bool {
	const footer, kindOfAlpha = 26, 494 // bytes from the end of the file, and from the start of the area
	if len(data) < footer || !bytes.HasSuffix(data, []byte("TRUEVISION-XFILE.\x00")) {
		return false
	}
	area := int(binary.LittleEndian.Uint32(data[len(data)-footer:]))
	return area != 0 && area+kindOfAlpha < len(data) && data[area+kindOfAlpha] == 0
}

// palette reads the color map.
func (h *TGAHeader) palette(entries []byte) (p *colors, channels int) {
	unpack, channels := tgaColors(h.colorDepth, false)
	size := bytesOf(h.colorDepth)
	p = newColors()
	entries = append(make([]byte, h.first*size), entries...) // entries before the first are zero, including alpha
	for i := range h.first + h.Colors {
		unpack(p[i][:channels], entries[i*size:][:size])
	}
	if channels == 3 && p.gray() {
		channels = 1
	}
	return p, channels
}

// lines finds the rows.
func (h *TGAHeader) lines(pixels []byte, unpack unpacker) Rows {
	if h.runs {
		return h.compressed(pixels, unpack)
	}
	s := stored{data: pixels, stride: h.width * bytesOf(h.depth)}
	if h.depth == 1 {
		s.stride = bytesOf(h.width)
	}
	s.used = s.stride
	return Rows{Complete: s.complete(h.height), bottomUp: h.bottomUp, unpack: func(dst []byte, line int) error {
		unpack(dst, s.row(line))
		return nil
	}}
}

// tgaPlace is a position in compressed data: a packet, and how many of its pixels come before.
type tgaPlace struct{ packet, skip int }

// compressed walks over the packets and notes where each line begins, so that an image that is stored bottom up can be
// decoded from the top, line by line. Packets may continue in the next line, as the first version of the format
// allowed.
func (h *TGAHeader) compressed(data []byte, unpack unpacker) Rows {
	size := bytesOf(h.depth)
	var index []tgaPlace
	for at, ok := (tgaPlace{}), true; ok && len(index) < h.height; {
		start := at
		if at, ok = tgaLine(data, at, size, h.width, nil); ok {
			index = append(index, start)
		}
	}
	var row []byte
	return Rows{Complete: len(index), bottomUp: h.bottomUp, unpack: func(dst []byte, line int) error {
		if row == nil {
			row = make([]byte, h.width*size)
		}
		tgaLine(data, index[line], size, h.width, row)
		unpack(dst, row)
		return nil
	}}
}

// tgaLine skips the pixels of one line, and stores them where row is not nil. It reports false when the data end first.
func tgaLine(data []byte, at tgaPlace, size, width int, row []byte) (next tgaPlace, ok bool) {
	for x := 0; x < width; {
		if at.packet >= len(data) {
			return at, false
		}
		head := data[at.packet]
		n := int(head&0x7f) + 1
		values := n
		if head&0x80 != 0 { // one value n times
			values = 1
		}
		body := data[at.packet+1:]
		if len(body) < values*size {
			return at, false
		}
		take := min(n-at.skip, width-x)
		if row != nil {
			to := row[x*size : (x+take)*size]
			if values == n {
				copy(to, body[at.skip*size:])
			} else {
				for ; len(to) > 0; to = to[size:] {
					copy(to, body[:size])
				}
			}
		}
		x += take
		if at.skip += take; at.skip == n {
			at = tgaPlace{packet: at.packet + 1 + values*size}
		}
	}
	return at, true
}

// mirror reverses the pixels of a row.
func mirror(row []byte, channels int) {
	for i, j := 0, len(row)-channels; i < j; i, j = i+channels, j-channels {
		for c := range channels {
			row[i+c], row[j+c] = row[j+c], row[i+c]
		}
	}
}
