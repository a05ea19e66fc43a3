package png

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// DefaultMaxMemory bounds what a picture may take, in bytes.
const DefaultMaxMemory = 2 << 30

// maxInflated is the largest picture that is inflated as a whole, in bytes. For larger ones memory costs more than
// speed gains.
const maxInflated = 256 << 20

// Options say what to decode to where. Either Sink or Dst is set.
type Options struct {
	// Channels of the rows: 1 (of gray pictures only), 3 or 4; 0 means 3. Gray is repeated in 3 and 4.
	// Opacity is dropped without blending, or full where the picture has none.
	Channels int

	// Bits of the samples: 8, or 16 (of pictures of 16 bits only), which are uint16 in the machine's
	// byte order; 0 means 8. Of a sample of 16 bits 8 are the high byte.
	Bits int

	// Sink is a row sink of cbridge/kernel (C memory), made for a picture of Width x Height, Channels
	// and Bits. It names the rows it wants.
	Sink          unsafe.Pointer
	Width, Height int // checked against the picture

	// Dst takes the rows [First, Last), Stride bytes apart. Last 0 means the picture's height,
	// Stride 0 rows without gaps.
	Dst         []byte
	First, Last int
	Stride      int

	// Accept is the least Report.Fraction with which a damaged picture is taken, in [0, 1].
	// 0 means that none is.
	Accept float64

	// MaxMemory bounds what the call takes beside the rows, in bytes. What is not too large is inflated
	// as a whole, which takes the picture's size, and the file's. Otherwise a few rows do, except for
	// interlaced pictures. 0 means DefaultMaxMemory, negative no bound.
	MaxMemory int64
}

// setDefaults replaces the zero values.
func (o *Options) setDefaults() {
	if o.Channels == 0 {
		o.Channels = 3
	}
	if o.Bits == 0 {
		o.Bits = 8
	}
	switch {
	case o.MaxMemory == 0:
		o.MaxMemory = DefaultMaxMemory
	case o.MaxMemory < 0:
		o.MaxMemory = math.MaxInt64
	}
}

// validate reports all that is wrong, joined.
func (o *Options) validate() error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: png: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if o.Channels != 1 && o.Channels != 3 && o.Channels != 4 {
		problem("%d Channels; there are 1, 3 and 4", o.Channels)
	}
	if o.Bits != 8 && o.Bits != 16 {
		problem("%d Bits; there are 8 and 16", o.Bits)
	}
	switch {
	case o.Sink != nil && o.Dst != nil:
		problem("both Sink and Dst are set")
	case o.Sink != nil && (!isDimension(o.Width) || !isDimension(o.Height)):
		problem("Width %d and Height %d are not those of a picture", o.Width, o.Height)
	case o.Sink != nil && (o.First != 0 || o.Last != 0 || o.Stride != 0):
		problem("First %d, Last %d, Stride %d are for Dst: a sink names its rows", o.First, o.Last, o.Stride)
	case o.Sink == nil && (min(o.First, o.Last) < 0 || max(o.First, o.Last) > math.MaxInt32 || o.Last != 0 && o.First > o.Last):
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

func isDimension(n int) bool { return n > 0 && n <= math.MaxInt32 }
