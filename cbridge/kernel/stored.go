package kernel

// #include "engine.h"
import "C"

import (
	"cmp"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// stored is a plan in terms of the stored rows. It translates orientations and flips for the engine, which knows only
// rows and the pixels in them.
//
// The input is never transposed or mirrored. If an image is stored mirrored, its windows are counted from the other
// end. If it is stored rotated by 90 degrees, its axes are exchanged, and with them the order of the passes. Sums of
// integers are the same in any order, so the pixels equal those of the upright image.
type stored struct {
	across, down storedAxis // along the pushed rows, and from row to row
	transpose    bool       // a row after the passes is a column of the upright image
}

// storedAxis is an axis of a plan in terms of the stored rows.
type storedAxis struct {
	axis     *Axis
	first    int  // column or row of the stored image where the axis begins
	mirrored bool // the axis runs against the order of the stored pixels
	flipped  bool // and its output is mirrored
	down     bool
}

func (p *Plan) stored() stored {
	var mirroredX, mirroredY bool // the axes of the upright image
	switch p.Orientation {
	case 2:
		mirroredX = true
	case 3:
		mirroredX, mirroredY = true, true
	case 4:
		mirroredY = true
	case 6:
		mirroredX = true
	case 7:
		mirroredX, mirroredY = true, true
	case 8:
		mirroredY = true
	}
	width, height := p.upright()
	x := storedAxis{axis: &p.H, first: p.Left, mirrored: mirroredX, flipped: p.FlipX}
	y := storedAxis{axis: &p.V, first: p.Top, mirrored: mirroredY, flipped: p.FlipY}
	if mirroredX {
		x.first = width - p.Left - p.H.In
	}
	if mirroredY {
		y.first = height - p.Top - p.V.In
	}
	s := stored{across: x, down: y, transpose: p.transposed()}
	if s.transpose {
		s.across, s.down = y, x
	}
	s.down.down = true
	return s
}

// backwards reports whether the last output comes first. Rows are pushed in their stored order, so flips do not change
// their order. Within a row, outputs are computed in the order in which they are stored.
func (a *storedAxis) backwards() bool {
	if a.down {
		return a.mirrored
	}
	return a.flipped
}

// reversed reports whether the output runs against the order of the stored pixels.
func (a *storedAxis) reversed() bool { return a.mirrored != a.flipped }

// copyPrecision is the precision of weights that only copy pixels in another order.
const copyPrecision = 14

func (a *storedAxis) c() C.spool_axis {
	axis := C.spool_axis{in: C.int32_t(a.axis.In), out: C.int32_t(a.axis.Out)}
	switch {
	case a.axis.Start != nil:
		taps := a.axis.taps()
		axis.taps, axis.precision = C.int32_t(taps), C.int32_t(a.axis.Precision)
		axis.wide = flag(a.axis.Wide != nil)
		if a.down {
			axis.overlap = C.int32_t(a.axis.overlap(taps, C.SPOOL_GROUP, a.mirrored))
		} else {
			axis.quads = flag(!a.reversed() && a.axis.Weights != nil && a.axis.reach(taps, a.mirrored) <= C.SPOOL_QUAD_BYTES)
		}
	case !a.down && a.reversed():
		axis.taps, axis.precision = 1, copyPrecision
	}
	return axis
}

// taps returns the taps that the engine copies, for axes to which c gives taps.
func (a *storedAxis) taps() C.spool_axis_taps {
	return C.spool_axis_taps{
		start: (*C.int32_t)(unsafe.SliceData(a.axis.Start)), count: (*C.int32_t)(unsafe.SliceData(a.axis.Count)),
		weights: (*C.int16_t)(unsafe.SliceData(a.axis.Weights)), wide: (*C.int32_t)(unsafe.SliceData(a.axis.Wide)),
		stride: C.int32_t(a.axis.Stride), mirrored: flag(a.mirrored), backwards: flag(a.backwards()),
	}
}

// c returns the plan for the engine.
func (s stored) c(p *Plan) C.spool_plan {
	x, y := p.X, p.Y
	if p.FlipX {
		x = p.CanvasWidth - p.X - p.H.Out
	}
	if p.FlipY {
		y = p.CanvasHeight - p.Y - p.V.Out
	}
	plan := C.spool_plan{
		width: C.int32_t(p.Width), height: C.int32_t(p.Height), channels: C.int32_t(p.Channels),
		words: flag(p.Bits == 16), alpha: alphas[p.Intake], luma: flag(p.Gray), premultiply: flag(p.Premultiply),
		left: C.int32_t(s.across.first), right: C.int32_t(s.across.first + s.across.axis.In), top: C.int32_t(s.down.first),
		horizontal: s.across.c(), vertical: s.down.c(),
		ring_bytes:     C.int32_t(cmp.Or(p.ring, ringBytes)),
		vertical_first: flag(p.VerticalFirst != s.transpose && p.H.Start != nil && p.V.Start != nil),
		transpose:      flag(s.transpose), upward: flag(s.down.reversed()),
		canvas_width: C.int32_t(p.CanvasWidth), canvas_height: C.int32_t(p.CanvasHeight),
		x: C.int32_t(x), y: C.int32_t(y), out_channels: C.int32_t(p.OutChannels),
		swap: flag(p.Swap), _type: types[p.DType], planar: flag(p.Layout == spool.CHW),
	}
	for i, c := range p.Background {
		plan.background[i] = C.uint8_t(c)
	}
	for i, c := range p.Pad {
		plan.pad[i] = C.uint8_t(c)
	}
	for i := range p.OutChannels {
		plan.mean[i] = C.float(channelValue(p.Mean, i, 0))
		plan.std[i] = C.float(channelValue(p.Std, i, 1))
	}
	return plan
}

var (
	alphas = [...]C.int32_t{AsIs: C.SPOOL_ALPHA_KEEP, DropAlpha: C.SPOOL_ALPHA_DROP, Blend: C.SPOOL_ALPHA_BLEND}
	types  = [...]C.int32_t{
		spool.Uint8: C.SPOOL_UINT8, spool.Uint16: C.SPOOL_UINT16, spool.Float16: C.SPOOL_FLOAT16,
		spool.Float32: C.SPOOL_FLOAT32, spool.BFloat16: C.SPOOL_BFLOAT16,
	}
)

func flag(set bool) C.int32_t {
	if set {
		return 1
	}
	return 0
}

// channelValue returns the value for a channel from one value for each channel, one for all, or none.
func channelValue(values []float32, channel int, none float32) float32 {
	switch len(values) {
	case 0:
		return none
	case 1:
		return values[0]
	}
	return values[channel]
}
