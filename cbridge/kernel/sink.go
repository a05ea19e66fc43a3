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
	pins   struct{ dst, scratch runtime.Pinner }
}

// sizes is what a sink remembers of its plan.
type sizes struct{ height, rowBytes, output int }

// ScratchBytes is the size of the scratch memory that NewSink needs: some rows of the picture, and
// either the rows of the longest window or the sums of the windows that overlap, whichever is less; all
// of it for one axis, so that it does not grow with the area. It is 0 for a plan that NewSink refuses.
func (p *Plan) ScratchBytes() int {
	if p.validate() != nil {
		return 0
	}
	plan := p.stored().c(p)
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
	way := p.stored()
	plan := way.c(p)
	if len(dst) != p.bytes() {
		return nil, fmt.Errorf("%w: kernel: a destination of %d bytes for %d", spool.ErrShape, len(dst), p.bytes())
	}
	if need := int(C.spool_engine_bytes(&plan)); len(scratch) < need {
		return nil, fmt.Errorf("%w: kernel: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), need)
	}
	s := &Sink{plan: sizes{p.Height, p.rowBytes(), p.bytes()}}
	s.pins.dst.Pin(unsafe.SliceData(dst))
	s.pins.scratch.Pin(unsafe.SliceData(scratch))
	s.engine = way.engine(&plan, dst, scratch, level)
	return s, nil
}

// engine lays out the engine of a plan that c gave, in memory that is pinned.
func (s *stored) engine(plan *C.spool_plan, dst, scratch []byte, level int) *C.spool_engine {
	e := C.spool_engine_init(unsafe.Pointer(unsafe.SliceData(scratch)), plan, C.int(level), bytesOf(dst))
	if plan.horizontal.taps > 0 {
		C.spool_engine_horizontal(e, s.across.taps())
	}
	if plan.vertical.taps > 0 {
		C.spool_engine_vertical(e, s.down.taps())
	}
	return e
}

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

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
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), (rows-1)*stride+s.plan.rowBytes), stride, rows
}

// Push takes the next n rows, stride bytes apart, for decoders in Go. The first row of a picture that is
// pushed is the first one wanted (Wanted). It reports true when no further row is needed.
//
//	Errors: spool.ErrShape when rows is too short; spool.ErrClosed.
func (s *Sink) Push(rows []byte, stride, n int) (enough bool, err error) {
	if s.engine == nil {
		return false, fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	rowBytes := s.plan.rowBytes
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

// Begin takes another picture of the same plan, which goes to dst, as NewSink's would. It costs less: nothing is
// computed or copied again.
//
//	Ownership: dst is lent until Close or another Begin, in place of the one before.
//	Errors:    spool.ErrShape for a dst of another size; spool.ErrClosed.
func (s *Sink) Begin(dst []byte) error {
	if s.engine == nil {
		return fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	if len(dst) != s.plan.output {
		return fmt.Errorf("%w: kernel: a destination of %d bytes for %d", spool.ErrShape, len(dst), s.plan.output)
	}
	s.pins.dst.Unpin()
	s.pins.dst.Pin(unsafe.SliceData(dst))
	C.spool_engine_begin(s.engine, bytesOf(dst))
	return nil
}

// Close ends the loan of destination and scratch. It returns nil; a second Close does nothing.
func (s *Sink) Close() error {
	s.engine = nil
	s.pins.dst.Unpin()
	s.pins.scratch.Unpin()
	return nil
}
