package kernel

// #include "planes_engine.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// bestPlanes is the level of the planes sink's kernels, as best is that of the row sink's.
var bestPlanes = int(C.spool_planes_levels()) - 1

// Rule is the arithmetic by which YCbCr becomes RGB.
type Rule uint8

const (
	// RuleWebP is libwebp's: BT.601 of limited range in its integers, and chroma interpolated by 9, 3, 3
	// and 1 sixteenths, byte for byte (src/dsp/yuv.h and upsampling.c of version 1.2.4).
	RuleWebP Rule = iota
	rules
)

// PlaneArea says which part of a plane becomes what: rows from Top and columns from Left on, V.In and H.In
// of them, become V.Out x H.Out samples.
type PlaneArea struct {
	Left, Top int
	H, V      Axis
}

// PlanesPlan says how the planes of a picture become RGB rows: uint8, and chroma either of luma's size
// or halved in one or both directions, rounded up.
type PlanesPlan struct {
	Rule          Rule
	Width, Height int // of luma
	SubX, SubY    int // samples of luma to one of chroma: 1 or 2

	// Luma and Chroma resize each plane at its own resolution, to one size, before the pixels of the
	// result are converted: fewer, and not those that converting first would give. nil, both: chroma is
	// interpolated, and rows have the picture's own size.
	Luma, Chroma *PlaneArea
}

// chromaSize is the size of the chroma planes.
func (p *PlanesPlan) chromaSize() (width, height int) {
	return (p.Width + p.SubX - 1) / p.SubX, (p.Height + p.SubY - 1) / p.SubY
}

// validate reports all that is wrong with the plan, but for its areas.
func (p *PlanesPlan) validate() error {
	var problems []error
	require := func(ok bool, what string) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: kernel: planes: %s", spool.ErrOptions, what))
		}
	}
	require(p.Rule < rules, "an unknown Rule")
	require(min(p.Width, p.Height) >= 1 && max(p.Width, p.Height) <= maxSize, "Width or Height out of range")
	require(1 <= p.SubX && p.SubX <= 2 && 1 <= p.SubY && p.SubY <= 2, "SubX or SubY is not 1 or 2")
	require((p.Luma == nil) == (p.Chroma == nil), "one of Luma and Chroma")
	if p.Luma != nil && p.Chroma != nil {
		require(p.Luma.H.Out == p.Chroma.H.Out && p.Luma.V.Out == p.Chroma.V.Out, "Luma and Chroma of different results")
	}
	return errors.Join(problems...)
}

// area is the plan for one plane of w x h.
func (a *PlaneArea) plan(w, h int) *Plan {
	return &Plan{Width: w, Height: h, Channels: 1, Left: a.Left, Right: a.Left + a.H.In, Top: a.Top, H: a.H, V: a.V,
		CanvasWidth: a.H.Out, CanvasHeight: a.V.Out, OutChannels: 1, Layout: spool.HWC}
}

func (p *PlanesPlan) c() C.spool_planes_plan {
	return C.spool_planes_plan{width: C.int32_t(p.Width), height: C.int32_t(p.Height),
		h: C.int32_t(p.SubX), v: C.int32_t(p.SubY), rule: C.int32_t(p.Rule)}
}

// resized is the plans of the three planes.
func (p *PlanesPlan) resized() [3]*Plan {
	luma, chroma := p.Luma.plan(p.Width, p.Height), p.Chroma.plan(p.chromaSize())
	return [3]*Plan{luma, chroma, chroma}
}

// ScratchBytes is the size of the scratch memory that NewPlanes needs: about 4 rows of the picture, or,
// where planes are resized, theirs of the result as well. It is 0 for a plan that NewPlanes refuses.
func (p *PlanesPlan) ScratchBytes() int {
	if p.validate() != nil {
		return 0
	}
	if p.Luma == nil {
		plan := p.c()
		return int(C.spool_upsampler_bytes(&plan))
	}
	n := aligned(int(unsafe.Sizeof(C.spool_resampler{}))) + alignment
	for _, plane := range p.resized() {
		scratch := plane.ScratchBytes()
		if scratch == 0 {
			return 0
		}
		n += aligned(plane.bytes()) + aligned(scratch)
	}
	return n
}

const alignment = 64

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// Planes takes one picture's planes and pushes RGB rows into a row sink. It belongs to one goroutine at a
// time.
type Planes struct {
	planes *C.spool_planes // in the scratch memory; nil when closed
	plan   PlanesPlan
	sinks  []*Sink
	pins   runtime.Pinner
}

// NewPlanes makes a planes sink in front of next, a spool_sink (Sink.Pointer) for rows of 3 channels: those
// of the picture, or, where planes are resized, those of the result from the first that next wants on.
//
//	Ownership: next is lent until Close and not closed; scratch is lent and stays pinned until Close.
//	Errors:    spool.ErrOptions, all problems of the plan; spool.ErrShape for too little scratch, or a next
//	           that wants another number of rows than the resized planes have.
func NewPlanes(p *PlanesPlan, next unsafe.Pointer, scratch []byte) (*Planes, error) {
	return newPlanes(p, next, scratch, bestPlanes)
}

func newPlanes(p *PlanesPlan, next unsafe.Pointer, scratch []byte, level int) (*Planes, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if need := p.ScratchBytes(); len(scratch) < need {
		return nil, fmt.Errorf("%w: kernel: planes: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), need)
	}
	sink, plan := (*C.spool_sink)(next), p.c()
	s := &Planes{plan: *p}
	if p.Luma == nil {
		if int(sink.last) > p.Height {
			return nil, fmt.Errorf("%w: kernel: planes: %d rows for a sink of %d", spool.ErrShape, p.Height, sink.last)
		}
		s.pins.Pin(unsafe.SliceData(scratch))
		s.planes = &C.spool_upsampler_init(unsafe.Pointer(unsafe.SliceData(scratch)), &plan, C.int(level), sink).planes
		return s, nil
	}
	if int(sink.last-sink.first) != p.Luma.V.Out {
		return nil, fmt.Errorf("%w: kernel: planes: %d rows for a sink of %d", spool.ErrShape, p.Luma.V.Out, sink.last-sink.first)
	}
	if err := s.resize(&plan, sink, scratch, level); err != nil {
		return nil, err
	}
	return s, nil
}

// resize prepares a sink of one channel for each plane. On error nothing is kept.
func (s *Planes) resize(plan *C.spool_planes_plan, next *C.spool_sink, scratch []byte, level int) error {
	s.pins.Pin(unsafe.SliceData(scratch))
	scratch = scratch[-uintptr(unsafe.Pointer(unsafe.SliceData(scratch)))&(alignment-1):]
	take := func(n int) []byte {
		piece := scratch[:n:n]
		scratch = scratch[aligned(n):]
		return piece
	}
	resampler := (*C.spool_resampler)(unsafe.Pointer(unsafe.SliceData(take(int(unsafe.Sizeof(C.spool_resampler{}))))))
	var engines [3]*C.spool_engine
	for i, p := range s.plan.resized() {
		sink, err := NewSink(p, take(p.bytes()), take(p.ScratchBytes()))
		if err != nil {
			return errors.Join(err, s.Close())
		}
		s.sinks, engines[i] = append(s.sinks, sink), sink.engine
	}
	C.spool_resampler_init(resampler, plan, C.int(level), unsafe.SliceData(engines[:]), next)
	s.planes = &resampler.planes
	return nil
}

// Pointer is the sink as decoders in C take it: a spool_planes of planes.h. It is valid until Close.
func (s *Planes) Pointer() unsafe.Pointer { return unsafe.Pointer(s.planes) }

// Wanted says which rows of luma the sink wants: [first, last). They begin with a row of chroma, and end
// with one or with the picture. It is nothing after Close.
func (s *Planes) Wanted() (first, last int) {
	if s.planes == nil {
		return 0, 0
	}
	return int(s.planes.first), int(s.planes.last)
}

// Band is rows of the three planes that follow those of the band before, for decoders in Go: Rows of luma,
// a multiple of SubY except at the picture's end, and the rows of chroma that belong to them.
type Band struct {
	Y, U, V           []byte
	StrideY, StrideUV int
	Rows              int
}

// Push takes a band, which is only read. The first one begins with the first row wanted. It reports true
// when no further row is needed.
//
//	Errors: spool.ErrShape for planes that are too short, or rows that are not wanted; spool.ErrClosed.
func (s *Planes) Push(b Band) (enough bool, err error) {
	if s.planes == nil {
		return false, fmt.Errorf("kernel: planes: %w", spool.ErrClosed)
	}
	width, _ := s.plan.chromaSize()
	chroma := (b.Rows + s.plan.SubY - 1) / s.plan.SubY
	if b.Rows < 1 || !holds(b.Y, b.StrideY, s.plan.Width, b.Rows) || !holds(b.U, b.StrideUV, width, chroma) || !holds(b.V, b.StrideUV, width, chroma) {
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

// holds reports whether n rows of width bytes, stride apart, lie in memory.
func holds(memory []byte, stride, width, n int) bool {
	return n <= maxSize && width <= stride && stride <= len(memory) && (n-1)*stride+width <= len(memory)
}

// Close ends the loan of next and scratch. It returns nil; a second Close does nothing.
func (s *Planes) Close() error {
	s.planes = nil
	for _, sink := range s.sinks {
		_ = sink.Close() // always nil
	}
	s.sinks = nil
	s.pins.Unpin()
	return nil
}
