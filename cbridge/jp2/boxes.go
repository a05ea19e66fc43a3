package jp2

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/spoolmedia/spool"
)

// Values of EnumCS in a color specification box.
const (
	bilevelWhite = 0
	cmyk         = 12
	bilevelBlack = 15
	sRGB         = 16
	grayscale    = 17
	sYCC         = 18
	eYCC         = 24
)

// container holds the contents of the boxes around a codestream.
type container struct {
	codestream []byte // up to the end of the file: decoders ignore the length of its box
	boxed      bool

	width, height, components, bits int // bits as stored: less 1, with the sign in the top bit

	method   int // of the first color specification: 0 none, 1 enumerated, 2 a profile
	space    uint32
	profile  []byte
	inks     bool // a color specification is CMYK
	monotone bool // the last color specification before the palette is bilevel or gray
	palette  []byte
	colors   int // number of palette entries
	columns  int // samples of a palette entry
	depth    int // the largest bit depth of a palette column, less 1
}

// next splits the first box off.
func next(data []byte) (kind string, body, rest []byte, err error) {
	if len(data) < 8 {
		return "", nil, nil, endsEarly()
	}
	kind, header, size := string(data[4:8]), uint64(8), uint64(binary.BigEndian.Uint32(data))
	switch size {
	case 0: // to the end of the file
		size = uint64(len(data))
	case 1:
		if len(data) < 16 {
			return "", nil, nil, endsEarly()
		}
		header, size = 16, binary.BigEndian.Uint64(data[8:])
	}
	if size < header {
		return "", nil, nil, fault(spool.ErrCorrupt, "a box of %d bytes", size)
	}
	if kind == "jp2c" {
		return kind, data[header:], nil, nil
	}
	if size > uint64(len(data)) {
		return "", nil, nil, endsEarly()
	}
	return kind, data[header:size], data[size:], nil
}

// open finds the codestream and the boxes that describe it.
func open(data []byte) (container, error) {
	var c container
	const signature, codestream = "\x00\x00\x00\x0cjP  \r\n\x87\n", "\xff\x4f\xff\x51"
	switch {
	case bytes.HasPrefix(data, []byte(codestream)):
		c.codestream = data
		return c, nil
	case bytes.HasPrefix(data, []byte(signature)):
		c.boxed = true
	case len(data) < len(signature) &&
		(strings.HasPrefix(signature, string(data)) || strings.HasPrefix(codestream, string(data))):
		return c, endsEarly()
	default:
		return c, &spool.Error{Op: "decode", Class: spool.ErrNotMedia, Text: "no JPEG 2000"}
	}
	described := false
	for rest := data; c.codestream == nil; {
		kind, body, after, err := next(rest)
		if err != nil {
			return c, err
		}
		switch kind {
		case "jp2h":
			if err := c.describe(body); err != nil {
				return c, err
			}
			described = true
		case "jp2c":
			if !described {
				return c, fault(spool.ErrCorrupt, "no header box before the codestream")
			}
			c.codestream = body
		}
		rest = after
	}
	return c, nil
}

// describe reads the boxes of the header box.
func (c *container) describe(body []byte) error {
	for len(body) > 0 {
		kind, box, rest, err := next(body)
		if err != nil {
			return fault(spool.ErrCorrupt, "a box that does not fit in the header box")
		}
		switch kind {
		case "ihdr":
			if len(box) < 11 {
				return fault(spool.ErrCorrupt, "an image header box of %d bytes", len(box))
			}
			c.height, c.width = int(binary.BigEndian.Uint32(box)), int(binary.BigEndian.Uint32(box[4:]))
			c.components, c.bits = int(binary.BigEndian.Uint16(box[8:])), int(box[10])
		case "colr":
			c.specify(box)
		case "pclr":
			if err := c.color(box); err != nil {
				return err
			}
		}
		body = rest
	}
	if c.components == 0 {
		return fault(spool.ErrCorrupt, "no image header box")
	}
	return nil
}

// specify reads a color specification box. Decoders use the first one only. Pillow also looks for CMYK in each of them,
// and for bilevel or gray, which rules out a palette.
func (c *container) specify(box []byte) {
	if len(box) < 3 {
		return
	}
	method, space := int(box[0]), uint32(0)
	if method == 1 {
		if len(box) < 7 {
			return
		}
		space = binary.BigEndian.Uint32(box[3:])
		switch space {
		case cmyk:
			c.inks, c.monotone = true, false
		case bilevelWhite, bilevelBlack, grayscale:
			c.monotone = true
		}
	}
	if c.method != 0 || method != 1 && method != 2 {
		return
	}
	c.method, c.space = method, space
	if method == 2 && len(box) > 3 {
		c.profile = box[3:]
	}
}

// color reads the palette box.
func (c *container) color(box []byte) error {
	gray := c.components == 1 && c.bits&0x7f <= 8 || c.components == 2
	if c.monotone || c.palette != nil || !gray {
		return nil
	}
	if len(box) < 3 {
		return fault(spool.ErrCorrupt, "a palette of %d bytes", len(box))
	}
	c.colors, c.columns = int(binary.BigEndian.Uint16(box)), int(box[2])
	entries := box[3:]
	if len(entries) < c.columns {
		return fault(spool.ErrCorrupt, "a palette that does not fit in its box")
	}
	for _, depth := range entries[:c.columns] {
		c.depth = max(c.depth, int(depth))
	}
	c.palette = entries[c.columns:]
	if c.depth < 8 && len(c.palette) < c.colors*c.columns {
		return fault(spool.ErrCorrupt, "a palette that does not fit in its box")
	}
	return nil
}
