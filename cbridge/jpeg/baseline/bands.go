package baseline

/*
#cgo noescape spool_baseline_bands
#cgo nocallback spool_baseline_bands
#include "bands.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Scales are the scales of the planes to which an image is decoded. A block of 8 x 8 samples becomes 8, 4, 2 or 1
// samples a side, each the mean of the samples that it replaces. 8 is full size.
type Scales struct {
	Luma, Chroma int
	SubX, SubY   int  // luma samples for each chroma sample, at these scales: 1 or 2
	Gray         bool // luma only; Chroma, SubX and SubY are ignored
}

// At returns the number of samples that n full-size samples have at the scale `side`.
func At(n, side int) int { return (n*side + 7) / 8 }

// PlaneOptions define the destination of an image's planes.
type PlaneOptions struct {
	// Planes is a planes sink of cbridge/kernel (C memory), made for planes of these Scales. It defines the requested rows
	// and columns.
	Planes        unsafe.Pointer
	Scales        Scales
	Width, Height int   // of the image at full size, compared with the file
	MaxMemory     int64 // as in Options
}

// DecodePlanes decodes the image in data, and delivers the rows of its planes that the sink requests. The coefficients
// are those of Decode, and so are samples at scale 8.
//
// Ownership, cancellation, Reasons and errors are as in Decode.
func (e *Engine) DecodePlanes(c *call.Call, data []byte, o PlaneOptions) (Reason, error) {
	side := func(n int) bool { return n == 8 || n == 4 || n == 2 || n == 1 }
	if s := &o.Scales; o.Planes == nil || !side(s.Luma) || !s.Gray && !side(s.Chroma) {
		return Decoded, fmt.Errorf("%w: jpeg: no Planes, or %+v", spool.ErrOptions, *s)
	}
	scales := C.spool_baseline_scales{width: C.int32_t(o.Width), height: C.int32_t(o.Height),
		luma: C.int32_t(o.Scales.Luma), chroma: C.int32_t(o.Scales.Chroma),
		sub_x: C.int32_t(o.Scales.SubX), sub_y: C.int32_t(o.Scales.SubY)}
	if o.Scales.Gray {
		scales.gray, scales.chroma, scales.sub_x, scales.sub_y = 1, scales.luma, 1, 1
	}
	return e.withStrip(c, o.MaxMemory, func(d *decoder) C.int {
		return C.spool_baseline_bands(d.c, bytesOf(data), C.size_t(len(data)), &scales, &d.given, (*C.spool_planes)(o.Planes),
			(*C.int32_t)(c.Flag()))
	})
}
