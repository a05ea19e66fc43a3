package kernel

// #cgo CFLAGS: -O3 -g1 -Wall -Wextra -Werror
// #include "engine.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Prepared is a validated plan with derived data. It is read only, and may be shared by goroutines.
type Prepared struct {
	plan    Plan
	stored  stored
	c       C.spool_plan
	scratch int
}

// Prepare validates the plan, and computes what the sinks of images of one geometry have in common. The taps of its
// axes, and Mean and Std, are kept and only read.
//
//	Errors: spool.ErrOptions, all problems of the plan at once.
//	Cost:   reads the taps; no C call.
func (p *Plan) Prepare() (*Prepared, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	r := &Prepared{plan: *p}
	r.stored = r.plan.stored()
	r.c = r.stored.c(&r.plan)
	r.scratch = engineBytes(&r.c)
	return r, nil
}

// ScratchBytes returns the size of the scratch memory that Open needs: a few rows of the image, plus the rows of the
// longest window or the sums of overlapping windows. Rows are kept up to 64 KiB; beyond that, the smaller of both. All
// of it extends along one axis only, so it does not grow with the area.
func (r *Prepared) ScratchBytes() int { return r.scratch }

// Sink takes the rows of one image and writes the result of a plan. It belongs to one goroutine at a time.
type Sink struct {
	engine *C.spool_engine // in the scratch memory; nil when closed
	plan   sizes
	pins   struct{ dst, scratch runtime.Pinner }
}

// sizes are the sizes that a sink needs from its plan.
type sizes struct{ height, rowBytes, output int }

// Open makes a sink that writes to dst: CanvasHeight x CanvasWidth x OutChannels elements of DType in Layout,
// tightly packed. It fills the canvas outside the image with Pad.
//
//	Ownership: dst and scratch are borrowed and stay pinned until Close; both may be of any memory.
//	Errors:    spool.ErrShape for a dst of another size or too little scratch.
//	Cost:      one C call. The taps are copied: about 4 bytes for each column and row of the image.
func (r *Prepared) Open(dst, scratch []byte) (*Sink, error) { return r.open(dst, scratch, best) }

func (r *Prepared) open(dst, scratch []byte, level int) (*Sink, error) {
	s, err := r.unopened(dst, scratch)
	if err != nil {
		return nil, err
	}
	s.engine = C.spool_engine_open(unsafe.Pointer(unsafe.SliceData(scratch)), C.size_t(len(scratch)), &r.c, C.int(level),
		bytesOf(dst), r.stored.across.taps(), r.stored.down.taps())
	if s.engine == nil {
		_ = s.Close() // always nil
		return nil, errMemory
	}
	return s, nil
}

// errMemory is a bug of memory.go.
var errMemory = fmt.Errorf("kernel: scratch of ScratchBytes is too small: %w", spool.ErrInternal)

// unopened pins the memory of a sink, whose engine is still to be opened there.
func (r *Prepared) unopened(dst, scratch []byte) (*Sink, error) {
	p := &r.plan
	if len(dst) != p.bytes() {
		return nil, fmt.Errorf("%w: kernel: a destination of %d bytes for %d", spool.ErrShape, len(dst), p.bytes())
	}
	if len(scratch) < r.scratch {
		return nil, fmt.Errorf("%w: kernel: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), r.scratch)
	}
	s := &Sink{plan: sizes{p.Height, p.rowBytes(), p.bytes()}}
	s.pins.dst.Pin(unsafe.SliceData(dst))
	s.pins.scratch.Pin(unsafe.SliceData(scratch))
	return s, nil
}

// NewSink prepares a plan and opens a sink. Errors are those of Prepare and Open.
func NewSink(p *Plan, dst, scratch []byte) (*Sink, error) { return newSink(p, dst, scratch, best) }

func newSink(p *Plan, dst, scratch []byte, level int) (*Sink, error) {
	r, err := p.Prepare()
	if err != nil {
		return nil, err
	}
	return r.open(dst, scratch, level)
}

// ScratchBytes returns the size for the prepared plan. It is 0 for a plan that Prepare refuses.
func (p *Plan) ScratchBytes() int {
	r, err := p.Prepare()
	if err != nil {
		return 0
	}
	return r.scratch
}

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// Pointer returns the spool_sink of sink.h for decoders in C. It is valid until Close.
func (s *Sink) Pointer() unsafe.Pointer { return unsafe.Pointer(s.engine) }

// Lend returns memory for the next rows, for decoders in Go: rows of the image's width, stride bytes apart, valid until
// the next call of Lend or Push. To push this memory saves a copy. rows is 0 when no further row is wanted.
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

// Push takes the next n rows, stride bytes apart, for decoders in Go. The first pushed row of an image is the first
// wanted one (Wanted). It reports true when no further row is needed.
//
//	Errors: spool.ErrShape when rows is too short; spool.ErrClosed.
func (s *Sink) Push(rows []byte, stride, n int) (enough bool, err error) {
	if s.engine == nil {
		return false, fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	if err := s.plan.fit(rows, stride, n); err != nil {
		return false, err
	}
	result := C.spool_engine_push(&s.engine.sink, bytesOf(rows), C.ptrdiff_t(stride), C.int(n))
	return pushed(int(result), n)
}

// fit reports memory that has no n rows, stride bytes apart.
func (z sizes) fit(rows []byte, stride, n int) error {
	fits := n == 0 || n == 1 && z.rowBytes <= len(rows) ||
		1 < n && n <= z.height && z.rowBytes <= stride && stride <= len(rows) && (n-1)*stride+z.rowBytes <= len(rows)
	if !fits {
		return fmt.Errorf("%w: kernel: %d rows of %d bytes, %d apart, in %d", spool.ErrShape, n, z.rowBytes, stride,
			len(rows))
	}
	return nil
}

// pushed is what Push returns for the result of a push in C.
func pushed(result, n int) (enough bool, err error) {
	if result < 0 {
		return false, fmt.Errorf("kernel: sink refused %d rows: %w", n, spool.ErrInternal)
	}
	return result == C.SPOOL_SINK_ENOUGH, nil
}

// Fill pushes rows of one color in place of the remaining wanted rows, so that the output of a damaged image is
// complete. The color is RGB and is processed like pixels; gray rows get its luma.
func (s *Sink) Fill(color [3]uint8) error {
	if s.engine == nil {
		return fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	C.spool_engine_fill(s.engine, (*C.uint8_t)(&color[0]))
	return nil
}

// Wanted returns the rows of the image that the sink wants: [first, last). The first pushed row is row first. It
// returns 0, 0 after Close.
func (s *Sink) Wanted() (first, last int) {
	if s.engine == nil {
		return 0, 0
	}
	return int(s.engine.sink.first), int(s.engine.sink.last)
}

// Rows returns the number of complete output rows, V.Out at the end. It is 0 after Close.
func (s *Sink) Rows() int {
	if s.engine == nil {
		return 0
	}
	return int(s.engine.done)
}

// Begin starts another image of the same plan, which goes to dst under the rules of NewSink. It costs less than
// NewSink: nothing is computed or copied again.
//
//	Ownership: dst is borrowed until Close or another Begin, and replaces the previous one.
//	Errors:    spool.ErrShape for a dst of another size; spool.ErrClosed.
func (s *Sink) Begin(dst []byte) error {
	if err := s.take(dst); err != nil {
		return err
	}
	C.spool_engine_begin(s.engine, bytesOf(dst))
	return nil
}

// take pins dst in place of the previous destination.
func (s *Sink) take(dst []byte) error {
	if s.engine == nil {
		return fmt.Errorf("kernel: sink: %w", spool.ErrClosed)
	}
	if len(dst) != s.plan.output {
		return fmt.Errorf("%w: kernel: a destination of %d bytes for %d", spool.ErrShape, len(dst), s.plan.output)
	}
	s.pins.dst.Unpin()
	s.pins.dst.Pin(unsafe.SliceData(dst))
	return nil
}

// Close ends the use of destination and scratch. It returns nil; a second Close does nothing.
func (s *Sink) Close() error {
	s.engine = nil
	s.pins.dst.Unpin()
	s.pins.scratch.Unpin()
	return nil
}
