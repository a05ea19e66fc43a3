package raster

import (
	"cmp"
	"slices"
)

// bmpRuns reads the codes of RLE8 and RLE4 data.
type bmpRuns struct {
	data    []byte
	pos     int
	nibbles bool // RLE4
}

// bmpCode is one code: pixels to set, or a move to the right and to later lines.
type bmpCode struct {
	pixels  int
	repeat  bool   // the pixels repeat one byte, or its two nibbles in turn
	from    []byte // bytes of the pixels
	right   int
	lines   int
	newline bool // continue at the first column of the next line
	end     bool // of the bitmap
}

// next reads a code. It reports false if the data ends before or within the code.
func (r *bmpRuns) next() (bmpCode, bool) {
	d := r.data[r.pos:]
	if len(d) < 2 {
		return bmpCode{}, false
	}
	size, c := 2, bmpCode{}
	switch n := int(d[1]); {
	case d[0] > 0:
		c = bmpCode{pixels: int(d[0]), repeat: true, from: d[1:2]}
	case n == 0:
		c.newline = true
	case n == 1:
		c.end = true
	case n == 2:
		if len(d) < 4 {
			return bmpCode{}, false
		}
		size, c.right, c.lines = 4, int(d[2]), int(d[3])
	default:
		length := n
		if r.nibbles {
			length = (n + 1) / 2
		}
		if len(d) < 2+length {
			return bmpCode{}, false
		}
		c.pixels, c.from = n, d[2:2+length]
		size = min(2+length+length%2, len(d)) // padded to even length; the last pad byte may be missing
	}
	r.pos += size
	return c, true
}

// set writes the pixels of a code that fit into dst.
func (r *bmpRuns) set(dst []byte, c bmpCode) {
	for i := range dst[:min(len(dst), c.pixels)] {
		at := i
		if r.nibbles {
			at = i / 2
		}
		if c.repeat {
			at = 0
		}
		v := c.from[at]
		if r.nibbles {
			v = v >> (4 - i%2*4) & 0x0f
		}
		dst[i] = v
	}
}

// bmpMaxLines bounds the index of lines to 16 MiB.
const bmpMaxLines = 1 << 20

// bmpLine is the position of a line's first pixels. Lines without pixels have no bmpLine.
type bmpLine struct {
	line, x int32
	at      int // offset of the first code in the data
}

// runs parses all codes and records where each line begins. An image that is stored bottom-up can then be decoded from
// the top, a line at a time. Skipped pixels have color 0.
func (h *BMPHeader) runs(unpack unpacker) Rows {
	r := bmpRuns{data: h.Pixels, nibbles: h.Compression == BMPRLE4}
	l := Rows{bottomUp: !h.topDown}
	if h.width/128 > len(r.data) { // too short even for one line: a code of two bytes gives 255 pixels
		return l
	}
	var index []bmpLine
	line, x := 0, 0
	for line < h.height {
		at := r.pos
		c, ok := r.next()
		if !ok {
			break
		}
		switch {
		case c.end:
			line, x = h.height, 0
		case c.newline:
			line, x = line+1, 0
		case c.pixels > 0:
			if n := len(index); n == 0 || int(index[n-1].line) != line {
				index = append(index, bmpLine{int32(line), int32(min(x, h.width)), at})
			}
			x += c.pixels
		default:
			line, x = line+c.lines, x+c.right
		}
	}
	if l.Complete = line; x >= h.width { // only the end code is missing
		l.Complete++
	}
	var pixels []byte // palette indices
	l.unpack = func(dst []byte, line int) error {
		if pixels == nil {
			pixels = make([]byte, h.width)
		}
		clear(pixels)
		i, found := slices.BinarySearchFunc(index, int32(line),
			func(b bmpLine, line int32) int { return cmp.Compare(b.line, line) })
		if found {
			r.line(pixels, index[i])
		}
		unpack(dst, pixels)
		return nil
	}
	return l
}

// line decodes one line.
func (r *bmpRuns) line(pixels []byte, from bmpLine) {
	r.pos = from.at
	for x := int(from.x); ; {
		c, ok := r.next()
		if !ok || c.newline || c.end || c.lines > 0 {
			return
		}
		if x < len(pixels) {
			r.set(pixels[x:], c)
		}
		x += c.pixels + c.right
	}
}
