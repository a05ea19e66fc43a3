package jpeg

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Color is the pixels' format in memory.
type Color uint8

const (
	RGB Color = iota
	BGR
	Gray // one channel
	Inks // cyan, magenta, yellow and black, of a picture that is stored so; 255 is full
)

// Channels is the number of bytes of a pixel.
func (c Color) Channels() int {
	switch c {
	case Gray:
		return 1
	case Inks:
		return 4
	}
	return 3
}

// DefaultMaxMemory bounds what a picture of several scans may take, in bytes.
const DefaultMaxMemory = 2 << 30

// Options say what to decode to where. Either Sink or Dst is set.
type Options struct {
	Color Color // of the rows; RGB by default

	// Sink is a row sink of cbridge/kernel (C memory), made for a picture of Width x Height and the
	// colour's channels. It names the rows and columns it wants.
	Sink          unsafe.Pointer
	Width, Height int // checked against the picture

	// Dst takes the rows [First, Last), Stride bytes apart. Last 0 means the picture's height,
	// Stride 0 rows without gaps.
	Dst         []byte
	First, Last int
	Stride      int

	// Accept is the least Report.Fraction with which a picture that ends too early is taken, in [0, 1].
	// 0 means that none is.
	Accept float64

	// MaxMemory bounds the coefficients of a picture of several scans, in bytes.
	// 0 means DefaultMaxMemory, negative no bound.
	MaxMemory int64
}

// validate reports all that is wrong, joined.
func (o *Options) validate() error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: jpeg: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if o.Color > Inks {
		problem("there is no Color %d", o.Color)
	}
	switch {
	case o.Sink != nil && o.Dst != nil:
		problem("both Sink and Dst are set")
	case o.Sink != nil && (!isDimension(o.Width) || !isDimension(o.Height)):
		problem("Width %d and Height %d are not those of a picture", o.Width, o.Height)
	case o.Sink != nil && (o.First != 0 || o.Last != 0 || o.Stride != 0):
		problem("First %d, Last %d, Stride %d are for Dst: a sink names its rows", o.First, o.Last, o.Stride)
	case o.Sink == nil && (min(o.First, o.Last) < 0 || max(o.First, o.Last) > math.MaxUint16 || o.Last != 0 && o.First > o.Last):
		problem("rows [%d, %d)", o.First, o.Last)
	}
	if o.Stride < 0 {
		problem("Stride %d is negative", o.Stride)
	}
	if !(o.Accept >= 0 && o.Accept <= 1) {
		problem("Accept %v is not in [0, 1]", o.Accept)
	}
	return errors.Join(problems...)
}

func isDimension(n int) bool { return n > 0 && n <= math.MaxUint16 }
