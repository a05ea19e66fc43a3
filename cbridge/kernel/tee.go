package kernel

// #include "tee.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Tee passes each row of an image to several sinks, so that one decode gives several results. It wants the rows and
// columns that any of them wants. It belongs to one goroutine at a time.
type Tee struct {
	tee   *C.spool_tee // in the scratch memory; nil when closed
	sinks []*Sink
	plan  sizes // of a row: those of the sinks
	pin   runtime.Pinner
}

// TeeBytes returns the size of the scratch memory for a tee of n sinks of such plans: a few rows of the image.
func (r *Prepared) TeeBytes(n int) int {
	return int(C.spool_tee_bytes(C.int32_t(n), C.size_t(r.plan.rowBytes())))
}

// NewTee makes a tee of at least one sink. Their plans must have the same Width, Height, Channels and depth. Rows must
// not be pushed to the sinks directly until Close.
//
//	Ownership: scratch is borrowed and stays pinned until Close. The sinks are borrowed and not closed.
//	Errors:    spool.ErrShape for too little scratch, or sinks of different images.
//	Cost:      two C calls.
func NewTee(sinks []*Sink, scratch []byte) (*Tee, error) {
	to := make([]*C.spool_sink, len(sinks))
	var plan sizes
	for i, s := range sinks {
		switch {
		case s.engine == nil:
			return nil, fmt.Errorf("kernel: tee: %w", spool.ErrClosed)
		case i > 0 && (s.plan.height != plan.height || s.plan.rowBytes != plan.rowBytes):
			return nil, fmt.Errorf("%w: kernel: tee: sinks of different images", spool.ErrShape)
		}
		to[i], plan = &s.engine.sink, s.plan
	}
	n, rowBytes := C.int32_t(len(to)), C.size_t(plan.rowBytes)
	if len(to) == 0 || len(scratch) < int(C.spool_tee_bytes(n, rowBytes)) {
		return nil, fmt.Errorf("%w: kernel: tee of %d sinks: scratch of %d bytes", spool.ErrShape, len(to), len(scratch))
	}
	t := &Tee{sinks: sinks, plan: plan}
	t.pin.Pin(unsafe.SliceData(scratch))
	t.tee = C.spool_tee_open(unsafe.Pointer(unsafe.SliceData(scratch)), &to[0], n, rowBytes)
	return t, nil
}

// Pointer returns the spool_sink of sink.h for decoders in C. It is valid until Close.
func (t *Tee) Pointer() unsafe.Pointer { return unsafe.Pointer(t.tee) }

// Wanted returns the rows of the image that a sink wants: [first, last). The first pushed row is row first. It returns
// 0, 0 after Close.
func (t *Tee) Wanted() (first, last int) {
	if t.tee == nil {
		return 0, 0
	}
	return int(t.tee.sink.first), int(t.tee.sink.last)
}

// Push is Sink.Push for all sinks.
func (t *Tee) Push(rows []byte, stride, n int) (enough bool, err error) {
	if t.tee == nil {
		return false, fmt.Errorf("kernel: tee: %w", spool.ErrClosed)
	}
	if err := t.plan.fit(rows, stride, n); err != nil {
		return false, err
	}
	result := C.spool_tee_push(&t.tee.sink, bytesOf(rows), C.ptrdiff_t(stride), C.int(n))
	return pushed(int(result), n)
}

// Fill fills the missing rows of all sinks, see Sink.Fill. Rows may not be pushed after it.
func (t *Tee) Fill(color [3]uint8) error {
	var errs error
	for _, s := range t.sinks {
		errs = errors.Join(errs, s.Fill(color))
	}
	return errs
}

// Begin starts another image with the same sinks, each of which has begun it (Sink.Begin).
func (t *Tee) Begin() error {
	if t.tee == nil {
		return fmt.Errorf("kernel: tee: %w", spool.ErrClosed)
	}
	C.spool_tee_begin(t.tee)
	return nil
}

// Close ends the use of scratch. It returns nil; a second Close does nothing.
func (t *Tee) Close() error {
	t.tee = nil
	t.pin.Unpin()
	return nil
}
