package kernel

// #include "planes_engine.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// bestPlanes is the fastest level of the planes sink's kernels, like best for the row sink, and planesLevels is the
// number of levels.
var (
	bestPlanes   = int(C.spool_planes_best())
	planesLevels = int(C.spool_planes_levels())
)

// Planes takes the planes of one image and pushes rows into a row sink. It belongs to one goroutine at a time.
type Planes struct {
	planes    *C.spool_planes    // in the scratch memory; nil when closed
	resampler *C.spool_resampler // also in the scratch memory; nil if chroma is interpolated
	plan      PlanesPlan
	pins      runtime.Pinner
}

// NewPlanes prepares a plan and opens it.
func NewPlanes(p *PlanesPlan, next unsafe.Pointer, scratch []byte) (*Planes, error) {
	return newPlanes(p, next, scratch, bestPlanes)
}

func newPlanes(p *PlanesPlan, next unsafe.Pointer, scratch []byte, level int) (*Planes, error) {
	r, err := p.Prepare()
	if err != nil {
		return nil, err
	}
	return r.open(next, scratch, level)
}

// Open makes a planes sink in front of next, a spool_sink (Sink.Pointer). next takes rows of 3 channels, or of 1
// without chroma. They are the rows of the image or, if planes are resized, those of the result, from the first row
// that next wants. They have 16 bits with Video.Deep.
//
//	Ownership: next is borrowed until Close and not closed; scratch is borrowed and stays pinned until Close.
//	Errors:    spool.ErrShape for too little scratch, or if next wants another number of rows than the
//	           resized planes have.
func (r *PreparedPlanes) Open(next unsafe.Pointer, scratch []byte) (*Planes, error) {
	return r.open(next, scratch, bestPlanes)
}

func (r *PreparedPlanes) open(next unsafe.Pointer, scratch []byte, level int) (*Planes, error) {
	if len(scratch) < r.size {
		return nil, fmt.Errorf("%w: kernel: planes: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), r.size)
	}
	sink := (*C.spool_sink)(next)
	if err := r.plan.fits(int(sink.first), int(sink.last)); err != nil {
		return nil, err
	}
	s := &Planes{plan: r.plan}
	s.pins.Pin(unsafe.SliceData(scratch))
	if r.plan.Luma == nil {
		s.planes = &C.spool_upsampler_init(unsafe.Pointer(unsafe.SliceData(scratch)), &r.c, C.int(level), sink).planes
		return s, nil
	}
	w := r.layOut(scratch, level)
	if C.spool_resampler_open(w.resampler, &r.c, C.int(level), w.passes, sink, w.engines[0], w.engines[1],
		w.engines[2]) == 0 {
		s.pins.Unpin()
		return nil, errMemory
	}
	s.resampler, s.planes = w.resampler, &w.resampler.planes
	return s, nil
}

// OpenBefore makes a sink of rows, and in front of it a sink of planes that are resized, with the scratch memory of
// both. It is rows.Open and Open in one C call.
//
//	Ownership: dst and scratch are borrowed and stay pinned until both are closed.
//	Errors:    those of rows.Open and Open; spool.ErrOptions if chroma is interpolated.
func (r *PreparedPlanes) OpenBefore(rows *Prepared, dst, scratch []byte) (*Planes, *Sink, error) {
	switch {
	case r.plan.Luma == nil:
		return nil, nil, fmt.Errorf("%w: kernel: planes: OpenBefore where chroma is interpolated", spool.ErrOptions)
	case len(scratch) < rows.scratch+r.size:
		return nil, nil, fmt.Errorf("%w: kernel: planes: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch),
			rows.scratch+r.size)
	}
	top := int(rows.c.top)
	if err := r.plan.fits(top, top+int(rows.c.vertical.in)); err != nil {
		return nil, nil, err
	}
	behind, scratch := scratch[:rows.scratch], scratch[rows.scratch:]
	sink, err := rows.unopened(dst, behind)
	if err != nil {
		return nil, nil, err
	}
	s := &Planes{plan: r.plan}
	s.pins.Pin(unsafe.SliceData(scratch))
	w := r.layOut(scratch, bestPlanes)
	next := C.spool_plane_engine{plan: rows.c, across: rows.stored.across.taps(), down: rows.stored.down.taps(),
		dst: bytesOf(dst), memory: bytesOf(behind), bytes: C.size_t(len(behind))}
	sink.engine = C.spool_resampler_open_before(w.resampler, &r.c, C.int(bestPlanes), w.passes, next, w.engines[0],
		w.engines[1], w.engines[2])
	if sink.engine == nil {
		s.pins.Unpin()
		_ = sink.Close() // always nil
		return nil, nil, errMemory
	}
	s.resampler, s.planes = w.resampler, &w.resampler.planes
	return s, sink, nil
}

// fits checks that a sink, which expects rows [first, last), takes as many as will be pushed.
func (p *PlanesPlan) fits(first, last int) error {
	switch {
	case p.Luma == nil && last > p.Height:
		return fmt.Errorf("%w: kernel: planes: %d rows for a sink of %d", spool.ErrShape, p.Height, last)
	case p.Luma != nil && last-first != p.Luma.V.Out:
		return fmt.Errorf("%w: kernel: planes: %d rows for a sink of %d", spool.ErrShape, p.Luma.V.Out, last-first)
	}
	return nil
}

// resampling is a resampler that is to be opened in scratch memory, with an engine of one channel for each plane.
type resampling struct {
	resampler *C.spool_resampler
	engines   [3]C.spool_plane_engine
	passes    C.int // the level of the engines
}

// layOut divides the scratch memory.
func (r *PreparedPlanes) layOut(scratch []byte, level int) (made resampling) {
	scratch = scratch[-uintptr(unsafe.Pointer(unsafe.SliceData(scratch)))&(alignment-1):]
	take := func(n int) []byte {
		piece := scratch[:n:n]
		scratch = scratch[aligned(n):]
		return piece
	}
	made.resampler = (*C.spool_resampler)(unsafe.Pointer(unsafe.SliceData(take(int(unsafe.Sizeof(C.spool_resampler{}))))))
	made.passes = C.int(best)
	if level < bestPlanes { // only in tests: level n of both kinds is the same instruction set
		made.passes = C.int(min(level, best))
	}
	for i, w := range r.work {
		made.engines[i] = C.spool_plane_engine{plan: w.c, across: w.stored.across.taps(), down: w.stored.down.taps(),
			dst: bytesOf(take(w.plan.bytes())), memory: bytesOf(take(w.scratch)), bytes: C.size_t(w.scratch)}
	}
	return made
}

// Begin starts another image of the same plan. Its rows go to next, which begins it too, with dst (Sink.Begin). next
// may be the sink of the image before or another one. Begin is for planes that are resized. It costs less than Open: it
// is one C call, and nothing is computed or copied again.
//
//	Errors: those of Open for next, and of Sink.Begin; spool.ErrOptions if chroma is interpolated; spool.ErrClosed.
func (s *Planes) Begin(next *Sink, dst []byte) error {
	if s.planes == nil {
		return fmt.Errorf("kernel: planes: %w", spool.ErrClosed)
	}
	if s.resampler == nil {
		return fmt.Errorf("%w: kernel: planes: Begin where chroma is interpolated", spool.ErrOptions)
	}
	if next.engine != nil {
		if err := s.plan.fits(int(next.engine.sink.first), int(next.engine.sink.last)); err != nil {
			return err
		}
	}
	if err := next.take(dst); err != nil {
		return err
	}
	C.spool_resampler_begin(s.resampler, next.engine, bytesOf(dst))
	return nil
}

// Pointer returns the spool_planes of planes.h for decoders in C. It is valid until Close.
func (s *Planes) Pointer() unsafe.Pointer { return unsafe.Pointer(s.planes) }

// Wanted returns the rows of luma that the sink wants: [first, last). They begin with a row of chroma, and end with one
// or with the image. It returns 0, 0 after Close.
func (s *Planes) Wanted() (first, last int) {
	if s.planes == nil {
		return 0, 0
	}
	return int(s.planes.first), int(s.planes.last)
}

// Band holds consecutive rows of the three planes, for decoders in Go. It begins where the previous band ended. Rows is
// the number of luma rows: a multiple of SubY, except at the end of the image. The chroma rows that belong to them are
// included. All planes are bytes. Interleaved chroma is in U.
type Band struct {
	Y, U, V           []byte
	StrideY, StrideUV int
	Rows              int
}

// Push takes a band, which is only read. The first band begins with the first wanted row. It reports true when no
// further row is needed.
//
//	Errors: spool.ErrShape for planes that are too short, or rows that are not wanted; spool.ErrClosed.
func (s *Planes) Push(b Band) (enough bool, err error) {
	if s.planes == nil {
		return false, fmt.Errorf("kernel: planes: %w", spool.ErrClosed)
	}
	luma, width := s.plan.rowBytes()
	chroma := (b.Rows + s.plan.SubY - 1) / s.plan.SubY
	if b.Rows < 1 || !holds(b.Y, b.StrideY, luma, b.Rows) ||
		!s.plan.gray() && !holds(b.U, b.StrideUV, width, chroma) ||
		!s.plan.gray() && s.plan.Video.Chroma == Separate && !holds(b.V, b.StrideUV, width, chroma) {
		return false, fmt.Errorf("%w: kernel: planes: bands too short for %d rows", spool.ErrShape, b.Rows)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	for _, plane := range [...][]byte{b.Y, b.U, b.V} {
		pins.Pin(unsafe.SliceData(plane))
	}
	band := C.spool_band{y: bytesOf(b.Y), u: bytesOf(b.U), v: bytesOf(b.V),
		y_stride: C.ptrdiff_t(b.StrideY), uv_stride: C.ptrdiff_t(b.StrideUV), rows: C.int32_t(b.Rows)}
	result := C.spool_planes_push(s.planes, &band)
	if result < 0 {
		return false, fmt.Errorf("%w: kernel: planes: %d rows where they are not wanted", spool.ErrShape, b.Rows)
	}
	return result == C.SPOOL_SINK_ENOUGH, nil
}

// holds reports whether memory contains n rows of width bytes, stride apart.
func holds(memory []byte, stride, width, n int) bool {
	return n <= maxSize && width <= stride && stride <= len(memory) && (n-1)*stride+width <= len(memory)
}

// Close ends the use of next and scratch. It returns nil; a second Close does nothing.
func (s *Planes) Close() error {
	s.planes, s.resampler = nil, nil
	s.pins.Unpin()
	return nil
}
