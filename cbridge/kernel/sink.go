package kernel

// #cgo CFLAGS: -O3 -Wall -Wextra -Werror
// #include "engine.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Sink takes one picture's rows and writes what a plan makes of them. It belongs to one goroutine at a time.
type Sink struct {
	engine *C.spool_engine // in the scratch memory; nil when closed
	plan   sizes
	pins   runtime.Pinner
}

// sizes is what a sink remembers of its plan.
type sizes struct{ width, height, channels, top int }

// ScratchBytes is the size of the scratch memory that NewSink needs: a few rows of the picture, and
// V's longest window of output rows. It is 0 for a plan that NewSink refuses.
func (p *Plan) ScratchBytes() int {
	if p.validate() != nil {
		return 0
	}
	plan := p.c()
	return int(C.spool_engine_bytes(&plan))
}

// NewSink makes a sink that writes to dst, CanvasHeight x CanvasWidth x OutChannels elements of DType in
// Layout, tightly packed, and gives the part of it that the picture leaves the colour Pad.
//
//	Ownership: dst and scratch are lent and stay pinned until Close; both may be of any memory. The plan
//	           is not kept.
//	Errors:    spool.ErrOptions, all problems of the plan at once; spool.ErrShape for a dst of another
//	           size or too little scratch.
//	Cost:      the taps are copied: about 4 bytes for each column and row of the picture.
func NewSink(p *Plan, dst, scratch []byte) (*Sink, error) { return newSink(p, dst, scratch, best) }

func newSink(p *Plan, dst, scratch []byte, level int) (*Sink, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	plan := p.c()
	if len(dst) != p.bytes() {
		return nil, fmt.Errorf("%w: kernel: a destination of %d bytes for %d", spool.ErrShape, len(dst), p.bytes())
	}
	if need := int(C.spool_engine_bytes(&plan)); len(scratch) < need {
		return nil, fmt.Errorf("%w: kernel: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), need)
	}
	s := &Sink{plan: sizes{p.Width, p.Height, p.Channels, p.Top}}
	s.pins.Pin(unsafe.SliceData(dst))
	s.pins.Pin(unsafe.SliceData(scratch))
	s.engine = C.spool_engine_init(unsafe.Pointer(unsafe.SliceData(scratch)), &plan, C.int(level), bytesOf(dst))
	if a := &p.H; a.Start != nil {
		C.spool_engine_horizontal(s.engine, (*C.int32_t)(&a.Start[0]), (*C.int32_t)(&a.Count[0]),
			(*C.int16_t)(&a.Weights[0]), C.int32_t(a.Stride))
	}
	if a := &p.V; a.Start != nil {
		C.spool_engine_vertical(s.engine, (*C.int32_t)(&a.Start[0]), (*C.int32_t)(&a.Count[0]),
			(*C.int16_t)(&a.Weights[0]), C.int32_t(a.Stride))
	}
	return s, nil
}

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// c is the plan as the engine wants it.
func (p *Plan) c() C.spool_plan {
	plan := C.spool_plan{
		width: C.int32_t(p.Width), height: C.int32_t(p.Height), channels: C.int32_t(p.Channels),
		left: C.int32_t(p.Left), right: C.int32_t(p.Right), top: C.int32_t(p.Top),
		horizontal: p.H.c(), vertical: p.V.c(),
		canvas_width: C.int32_t(p.CanvasWidth), canvas_height: C.int32_t(p.CanvasHeight),
		x: C.int32_t(p.X), y: C.int32_t(p.Y), out_channels: C.int32_t(p.OutChannels),
	}
	switch p.Intake {
	case DropAlpha:
		plan.intake = C.SPOOL_INTAKE_DROP_ALPHA
	case Blend:
		plan.intake = C.SPOOL_INTAKE_BLEND
	case Gray:
		plan.intake = C.SPOOL_INTAKE_GRAY
	}
	switch p.DType {
	case spool.Float16:
		plan._type = C.SPOOL_FLOAT16
	case spool.Float32:
		plan._type = C.SPOOL_FLOAT32
	}
	if p.Swap {
		plan.swap = 1
	}
	if p.Layout == spool.CHW {
		plan.planar = 1
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

func (a *Axis) c() C.spool_axis {
	return C.spool_axis{
		in: C.int32_t(a.In), out: C.int32_t(a.Out), taps: C.int32_t(a.taps()), precision: C.int32_t(a.Precision),
	}
}

// channelValue is the value for a channel where values may be one for each, one for all or none.
func channelValue(values []float32, channel int, none float32) float32 {
	switch len(values) {
	case 0:
		return none
	case 1:
		return values[0]
	}
	return values[channel]
}

// Pointer is the sink as decoders in C take it: a spool_sink of sink.h. It is valid until Close.
func (s *Sink) Pointer() unsafe.Pointer { return unsafe.Pointer(s.engine) }

// Lend gives memory for the next rows, for decoders in Go: rows of the picture's width, stride bytes
// apart, valid until the next call of Lend or Push. Pushing what Lend gave saves a copy. rows is 0 when no further
// row is wanted.
func (s *Sink) Lend() (memory []byte, stride, rows int) {
	if s.engine == nil {
		return nil, 0, 0
	}
	var cStride C.ptrdiff_t
	var cRows C.int
	p := C.spool_engine_lend(&s.engine.sink, &cStride, &cRows)
	if p == nil {
		return nil, 0, 0
	}
	stride, rows = int(cStride), int(cRows)
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), (rows-1)*stride+s.plan.width*s.plan.channels), stride, rows
}

// Push takes the next n rows, stride bytes apart, for decoders in Go. The first row of a picture that is
// pushed is the first one wanted (Wanted). It reports true when no further row is needed.
//
//	Errors: spool.ErrShape when rows is too short; spool.ErrClosed.
func (s *Sink) Push(rows []byte, stride, n int) (enough bool, err error) {
	if s.engine == nil {
		return false, fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	rowBytes := s.plan.width * s.plan.channels
	fits := n == 0 || n == 1 && rowBytes <= len(rows) ||
		1 < n && n <= s.plan.height && rowBytes <= stride && stride <= len(rows) && (n-1)*stride+rowBytes <= len(rows)
	if !fits {
		return false, fmt.Errorf("%w: kernel: %d rows of %d bytes, %d apart, in %d", spool.ErrShape, n, rowBytes, stride, len(rows))
	}
	result := C.spool_engine_push(&s.engine.sink, bytesOf(rows), C.ptrdiff_t(stride), C.int(n))
	if result < 0 {
		return false, fmt.Errorf("kernel: sink refused %d rows: %w", n, spool.ErrInternal)
	}
	return result == C.SPOOL_SINK_ENOUGH, nil
}

// PushOriented takes a whole stored picture of width x height pixels, tightly packed, turned as EXIF orientation
// 1..8 says: the plan's Width and Height are those of the turned picture. Nothing may have been pushed before.
//
//	Errors: spool.ErrShape when the sizes do not fit; spool.ErrOptions for another orientation; spool.ErrClosed.
func (s *Sink) PushOriented(pixels []byte, width, height, orientation int) error {
	if s.engine == nil {
		return fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	if orientation < 1 || orientation > 8 {
		return fmt.Errorf("%w: kernel: orientation %d", spool.ErrOptions, orientation)
	}
	turnedWidth, turnedHeight := width, height
	if orientation >= 5 {
		turnedWidth, turnedHeight = height, width
	}
	if turnedWidth != s.plan.width || turnedHeight != s.plan.height || len(pixels) < width*height*s.plan.channels {
		return fmt.Errorf("%w: kernel: a picture of %dx%d in %d bytes, orientation %d, for one of %dx%dx%d",
			spool.ErrShape, width, height, len(pixels), orientation, s.plan.width, s.plan.height, s.plan.channels)
	}
	result := C.spool_engine_push_oriented(s.engine, bytesOf(pixels), C.int32_t(width), C.int32_t(height),
		C.int(orientation))
	if result < 0 {
		return fmt.Errorf("kernel: sink refused a picture: %w", spool.ErrInternal)
	}
	return nil
}

// Fill pushes rows of one colour in place of the wanted ones that did not come, so that the output of a
// damaged picture is complete. The colour goes the way of the pixels: it is RGB, and its luma where rows are gray.
func (s *Sink) Fill(color [3]uint8) error {
	if s.engine == nil {
		return fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	C.spool_engine_fill(s.engine, (*C.uint8_t)(&color[0]))
	return nil
}

// Wanted says which rows of the picture the sink wants: [first, last). The first one pushed is row first.
// It is nothing after Close.
func (s *Sink) Wanted() (first, last int) {
	if s.engine == nil {
		return 0, 0
	}
	return int(s.engine.sink.first), int(s.engine.sink.last)
}

// Rows is the number of output rows complete: V.Out of them when the picture is. It is 0 after Close.
func (s *Sink) Rows() int {
	if s.engine == nil {
		return 0
	}
	return int(s.engine.done)
}

// Close ends the loan of destination and scratch. It returns nil; a second Close does nothing.
func (s *Sink) Close() error {
	s.engine = nil
	s.pins.Unpin()
	return nil
}
