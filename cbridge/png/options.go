package png

import (
	"math"
	"unsafe"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/rowtarget"
)

// DefaultMaxMemory is the default limit for the memory of an image, in bytes.
const DefaultMaxMemory = 2 << 30

// maxInflated is the largest image that is inflated in one piece, in bytes. For larger ones, the cost of memory exceeds
// the gain in speed.
const maxInflated = 256 << 20

// Options are the destination and the limits of a Decode call. Set either Sink or Dst.
type Options struct {
	// Channels of the rows: 1 (gray images only), 3 or 4; 0 means 3. Gray is repeated in 3 and 4. Alpha is dropped without
	// blending, or opaque if the image has none.
	Channels int

	// Bits of the samples: 8, or 16 (16-bit images only), which are uint16 in native byte order; 0 means 8. For 8, a
	// 16-bit sample is reduced to its high byte.
	Bits int

	// Sink is a row sink of cbridge/kernel (C memory), made for an image of Width x Height, Channels and Bits. It
	// determines the wanted rows.
	Sink          unsafe.Pointer
	Width, Height int // compared with the image

	// Dst takes the rows [First, Last), Stride bytes apart. Last 0 means the image's height, Stride 0 rows without gaps.
	Dst         []byte
	First, Last int
	Stride      int

	// Accept is the least Report.Fraction with which a damaged image is accepted, in [0, 1]. 0 means that none is
	// accepted.
	Accept float64

	// MaxMemory limits the memory of the call besides the rows, in bytes. If the image and its file fit, the image is
	// inflated in one piece. Otherwise a few rows suffice, except for interlaced images. 0 means DefaultMaxMemory,
	// negative no limit.
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

// validate returns all problems, joined.
func (o *Options) validate() error {
	var bad invalid.Options
	if o.Channels != 1 && o.Channels != 3 && o.Channels != 4 {
		bad.Addf("png: %d Channels; 1, 3 and 4 are supported", o.Channels)
	}
	if o.Bits != 8 && o.Bits != 16 {
		bad.Addf("png: %d Bits; 8 and 16 are supported", o.Bits)
	}
	rowtarget.Target{Sink: o.Sink != nil, Dst: o.Dst != nil, Width: o.Width, Height: o.Height, First: o.First,
		Last:   o.Last,
		Stride: o.Stride, Accept: o.Accept}.Validate(&bad, "png", math.MaxInt32)
	return bad.Err()
}
