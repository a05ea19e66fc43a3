package icc

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel
#cgo pkg-config: lcms2
#include <lcms2.h>
#include "icc.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// Sink converts the rows that are pushed to it and pushes them on.
type Sink struct {
	transforms *Transforms
	transform  *transform        // nil when closed
	c          *C.spool_icc_sink // in C memory; nil when rows need no conversion, and when closed
	next       *C.spool_sink
	size       int // of the C memory
	row        int // bytes
}

// NewSink makes a sink in front of next, a spool_sink (kernel/sink.h).
//
//	Ownership:   profile is lent for the call, next until Close; it has to be pinned where it is memory of Go.
//	Errors:      about the profile, each a reason for a warning only: corrupt (lcms cannot read it), unsupported
//	             (another colour space, or a kind not for pictures), too-large (beyond a limit); canceled and
//	             timeout; spool.ErrOptions, spool.ErrOutOfMemory.
//	Cost:        a digest of the profile. For one that is not known yet one C call, of 1 ms for a gray one,
//	             some for matrix and curves, and 10 to 30 for tables.
func (t *Transforms) NewSink(c *call.Call, next unsafe.Pointer, profile []byte, o Options) (*Sink, error) {
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil {
		return nil, &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	}
	switch {
	case len(profile) == 0:
		return nil, failure(spool.ErrCorrupt, "a colour profile of no bytes")
	case len(profile) > o.MaxProfile:
		return nil, failure(spool.ErrTooLarge, fmt.Sprintf("a colour profile of %d bytes, the limit is %d", len(profile), o.MaxProfile))
	}
	transform, err := t.take(profile, o)
	if err != nil {
		return nil, err
	}
	s := &Sink{transforms: t, transform: transform, next: (*C.spool_sink)(next), row: o.Width * o.Channels * o.Bits / 8}
	if transform.c == nil {
		return s, nil
	}
	rows := o.rows()
	s.size = int(C.spool_icc_sink_bytes(&rows))
	memory, err := mem.Alloc(mem.Sink, s.size)
	if err != nil {
		t.drop(transform)
		return nil, err
	}
	s.c = (*C.spool_icc_sink)(memory)
	C.spool_icc_sink_init(s.c, s.next, &rows, transform.c)
	return s, nil
}

// rows is what C has to know of them.
func (o *Options) rows() C.spool_icc_rows {
	return C.spool_icc_rows{width: C.int32_t(o.Width), channels: C.int32_t(o.Channels), bits: C.int32_t(o.Bits), color: C.int32_t(o.Color)}
}

// Pointer is the sink as decoders in C take it, a spool_sink, valid until Close. It is the next sink
// where rows need no conversion.
func (s *Sink) Pointer() unsafe.Pointer {
	if s.c == nil {
		return unsafe.Pointer(s.next)
	}
	return unsafe.Pointer(s.c)
}

// Wanted says which rows of the picture the next sink wants: [first, last). It is nothing after Close.
func (s *Sink) Wanted() (first, last int) {
	if s.next == nil {
		return 0, 0
	}
	return int(s.next.first), int(s.next.last)
}

// Push takes the next n rows, stride bytes apart, for decoders in Go. The first row of a picture that is
// pushed is the first one wanted. It reports true when no further row is needed.
//
//	Errors: spool.ErrShape when rows is too short; spool.ErrClosed.
func (s *Sink) Push(rows []byte, stride, n int) (enough bool, err error) {
	if s.next == nil {
		return false, fmt.Errorf("icc: sink: %w", spool.ErrClosed)
	}
	fits := n == 0 || n == 1 && s.row <= len(rows) ||
		1 < n && s.row <= stride && s.row <= len(rows) && n-1 <= (len(rows)-s.row)/stride
	if !fits {
		return false, fmt.Errorf("%w: icc: %d rows of %d bytes, %d apart, in %d", spool.ErrShape, n, s.row, stride, len(rows))
	}
	code := C.spool_icc_push((*C.spool_sink)(s.Pointer()), (*C.uint8_t)(unsafe.SliceData(rows)), C.ptrdiff_t(stride), C.int(n))
	if code < 0 {
		return false, fmt.Errorf("icc: the next sink refused %d rows: %w", n, spool.ErrInternal)
	}
	return code == C.SPOOL_SINK_ENOUGH, nil
}

// Converts reports whether rows are converted at all: not where the profile is sRGB.
func (s *Sink) Converts() bool { return s.c != nil }

// Bytes is the memory that the conversion takes, the transform included, which other sinks may share;
// 0 where rows need no conversion.
func (s *Sink) Bytes() int64 {
	if s.c == nil {
		return 0
	}
	return int64(s.size) + s.transform.bytes
}

// Close frees the sink, and ends the loan of the next one. It returns nil; a second Close does nothing.
func (s *Sink) Close() error {
	if s.transform == nil {
		return nil
	}
	mem.Free(mem.Sink, unsafe.Pointer(s.c), s.size)
	s.transforms.drop(s.transform)
	s.transform, s.c, s.next = nil, nil, nil
	return nil
}

// Version is the lcms that this process runs with, "2.14".
func Version() string {
	v := int(C.cmsGetEncodedCMMversion())
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}
