package vips

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// bytesPerPixel is the most memory that decoding took in addition to the delivered rows, for 8-bit and for wider
// samples. It was measured as peak resident size on images of 12 million pixels and rounded up. The images were the
// most expensive of each kind: interlaced, with one tile, with alpha, progressive.
var bytesPerPixel = [formats][2]int64{
	TIFF: {8, 16},
	HEIF: {10, 20},
	JXL:  {40, 44},

	SVG:    {5, 5},
	EXR:    {20, 20}, // includes the copy of the file
	HDR:    {4, 4},
	PDF:    {5, 5},
	Magick: {20, 32},
}

// Memory returns an upper estimate of the bytes that decoding the page needs in addition to the delivered rows. Most
// images need less: TIFF without tiles needs a few strips of rows.
func (h Header) Memory() int64 {
	wide := 0
	if h.Bits > 8 {
		wide = 1
	}
	return int64(h.Width) * int64(h.Height) * bytesPerPixel[h.Format][wide]
}

// limit refuses an image that exceeds the caller's limits.
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
