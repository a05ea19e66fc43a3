package vips

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// bytesPerPixel is the most memory that decoding took beside the rows delivered, by peak resident size
// on pictures of 12 million pixels, rounded up: of 8-bit samples and of wider ones. The pictures were
// the hungriest of each kind: interlaced, tiled in one tile, with opacity, progressive.
var bytesPerPixel = [formats][2]int64{
	TIFF: {8, 16},
	HEIF: {10, 20},
	JXL:  {40, 44},

	SVG:    {5, 5},
	EXR:    {20, 20}, // the copy of the file included
	HDR:    {4, 4},
	PDF:    {5, 5},
	Magick: {20, 32},
}

// Memory estimates, from above, the bytes that decoding the page needs beside the rows delivered. Most
// pictures need less: TIFF that is not tiled, a few strips of rows.
func (h Header) Memory() int64 {
	wide := 0
	if h.Bits > 8 {
		wide = 1
	}
	return int64(h.Width) * int64(h.Height) * bytesPerPixel[h.Format][wide]
}

// limit refuses a picture that would cost more than the caller allows.
func (o *Options) limit(h Header) error {
	if pixels := int64(h.Width) * int64(h.Height); o.MaxPixels > 0 && pixels > o.MaxPixels {
		return tooLarge("%d x %d pixels, limit %d", h.Width, h.Height, o.MaxPixels)
	}
	if need := h.Memory(); o.MaxMemory > 0 && need > o.MaxMemory {
		return tooLarge("%d x %d pixels of %s may take %d bytes, limit %d", h.Width, h.Height, h.Format, need, o.MaxMemory)
	}
	return nil
}

func tooLarge(format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf(format, args...)}
}
