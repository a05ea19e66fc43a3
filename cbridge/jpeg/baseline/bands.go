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

// Scales are the sizes of the planes that a picture is decoded to: a block of 8 x 8 samples becomes so many
// a side, 8, 4, 2 or 1, each the mean of those that it stands for. 8 is the planes themselves.
type Scales struct {
	Luma, Chroma int
	SubX, SubY   int  // samples of luma to one of chroma, at these scales: 1 or 2
	Gray         bool // luma alone; Chroma, SubX and SubY do not matter
}

// At says how many samples of n at full size there are where a block becomes `side`.
func At(n, side int) int { return (n*side + 7) / 8 }

// PlaneOptions say where the planes of a picture go.
type PlaneOptions struct {
	// Planes is a planes sink of cbridge/kernel (C memory), made for planes of these Scales. It names the rows and
	// columns it wants.
	Planes        unsafe.Pointer
	Scales        Scales
	Width, Height int   // of the picture at full size: checked
	MaxMemory     int64 // as in Options
}

// DecodePlanes decodes the picture in data and delivers the rows of its planes that the sink wants. Coefficients are
// those of Decode; samples at scale 8 are as well.
//
// All else is as Decode says: what is lent, when it stops, and what a Reason or an error means.
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
	return e.inStrip(c, o.MaxMemory, func(d *decoder) C.int {
		return C.spool_baseline_bands(d.c, bytesOf(data), C.size_t(len(data)), &scales, &d.lent, (*C.spool_planes)(o.Planes), (*C.int32_t)(c.Flag()))
	})
}
