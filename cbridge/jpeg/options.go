package jpeg

import (
	"math"
	"unsafe"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/rowtarget"
)

// Color is the format of pixels in memory.
type Color uint8

const (
	RGB Color = iota
	BGR
	Gray // one channel
	Inks // cyan, magenta, yellow and black, of a file that stores inks; 255 is full ink
)

// Channels returns the number of bytes of a pixel.
func (c Color) Channels() int {
	switch c {
	case Gray:
		return 1
	case Inks:
		return 4
	}
	return 3
}

// DefaultMaxMemory limits the memory for an image of several scans, in bytes.
const DefaultMaxMemory = 2 << 30

// Options define what to decode, and to where. Either Sink or Dst must be set.
type Options struct {
	Color Color // of the rows; default RGB

	// Sink is a row sink of cbridge/kernel (C memory), made for an image of Width x Height with the color's channels. It
	// defines the requested rows and columns.
	Sink          unsafe.Pointer
	Width, Height int // compared with the image

	// Dst receives the rows [First, Last), Stride bytes apart. Last 0 means the image's height. Stride 0 means rows
	// without gaps.
	Dst         []byte
	First, Last int
	Stride      int

	// Accept is the smallest Report.Fraction, in [0, 1], with which a truncated image is accepted. 0 accepts none.
	Accept float64

	// MaxMemory limits the coefficients of an image of several scans, in bytes. 0 means DefaultMaxMemory, negative no
	// limit.
	MaxMemory int64
}

// validate reports all problems, joined.
func (o *Options) validate() error {
	var bad invalid.Options
	if o.Color > Inks {
		bad.Addf("jpeg: there is no Color %d", o.Color)
	}
	rowtarget.Target{Sink: o.Sink != nil, Dst: o.Dst != nil, Width: o.Width, Height: o.Height, First: o.First,
		Last:   o.Last,
		Stride: o.Stride, Accept: o.Accept}.Validate(&bad, "jpeg", math.MaxUint16)
	return bad.Err()
}
