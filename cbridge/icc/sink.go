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

// Sink converts rows and pushes them to the next sink.
type Sink struct {
	transforms *Transforms
	transform  *transform        // nil when closed
	c          *C.spool_icc_sink // in C memory; nil if rows need no conversion, and after Close
	next       *C.spool_sink
	size       int // size of the C memory
	row        int // bytes of a row
}

// NewSink creates a sink that pushes to next, a spool_sink (kernel/sink.h).
//
//   - Ownership: profile is borrowed for the call, and next until Close. next must be pinned if it is in Go memory.
//   - Errors: a *spool.Error about the profile, which should cause only a warning: corrupt (lcms cannot read it),
//     unsupported (another color space, or not for images) or too-large (beyond a limit). Also canceled and timeout,
//     spool.ErrOptions and spool.ErrOutOfMemory.
//   - Cost: a digest of the profile. A new profile also costs one C call, of 1 ms for gray, a few ms for matrix and
//     curves, and 10 to 30 ms for tables.
func (t *Transforms) NewSink(c *call.Call, next unsafe.Pointer, profile []byte, o Options) (*Sink, error) {
	defer c.Part("liblcms2: transform", c.Begin())
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil {
		return nil, &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	}
	switch {
	case len(profile) == 0:
		return nil, failure(spool.ErrCorrupt, "an empty color profile")
	case len(profile) > o.MaxProfile:
		return nil, failure(spool.ErrTooLarge,
			fmt.Sprintf("a color profile of %d bytes, the limit is %d", len(profile), o.MaxProfile))
	}
	transform, err := t.acquire(profile, o)
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
		t.release(transform)
		return nil, err
	}
	s.c = (*C.spool_icc_sink)(memory)
	C.spool_icc_sink_init(s.c, s.next, &rows, transform.c)
	return s, nil
}

// rows returns the description of the rows for C.
func (o *Options) rows() C.spool_icc_rows {
	return C.spool_icc_rows{width: C.int32_t(o.Width), channels: C.int32_t(o.Channels), bits: C.int32_t(o.Bits),
		color: C.int32_t(o.Color)}
}

// Pointer returns the sink as a spool_sink for decoders in C, valid until Close. If rows need no conversion, it is the
// next sink.
func (s *Sink) Pointer() unsafe.Pointer {
	if s.c == nil {
		return unsafe.Pointer(s.next)
	}
	return unsafe.Pointer(s.c)
}

// Wanted returns the rows of the image that the next sink needs: [first, last). After Close it returns 0, 0.
func (s *Sink) Wanted() (first, last int) {
	if s.next == nil {
		return 0, 0
	}
	return int(s.next.first), int(s.next.last)
}

// Push converts and passes on the next n rows, stride bytes apart, for decoders in Go. The first row pushed must be the
// first needed row of the image. enough is true if no further row is needed.
//
// Errors are spool.ErrShape if rows is too short, spool.ErrClosed, and spool.ErrInternal if the next sink fails.
func (s *Sink) Push(rows []byte, stride, n int) (enough bool, err error) {
	if s.next == nil {
		return false, fmt.Errorf("icc: sink: %w", spool.ErrClosed)
	}
	fits := n == 0 || n == 1 && s.row <= len(rows) ||
		1 < n && s.row <= stride && s.row <= len(rows) && n-1 <= (len(rows)-s.row)/stride
	if !fits {
		return false, fmt.Errorf("%w: icc: %d rows of %d bytes, %d apart, in %d", spool.ErrShape, n, s.row, stride, len(rows))
	}
	code := C.spool_icc_push((*C.spool_sink)(s.Pointer()), (*C.uint8_t)(unsafe.SliceData(rows)), C.ptrdiff_t(stride),
		C.int(n))
	if code < 0 {
		return false, fmt.Errorf("icc: the next sink refused %d rows: %w", n, spool.ErrInternal)
	}
	return code == C.SPOOL_SINK_ENOUGH, nil
}

// Converts reports whether rows are converted. They are not if the profile is sRGB.
func (s *Sink) Converts() bool { return s.c != nil }

// Bytes returns the memory of the conversion, including the transform, which other sinks may share. It is 0 if rows
// need no conversion.
func (s *Sink) Bytes() int64 {
	if s.c == nil {
		return 0
	}
	return int64(s.size) + s.transform.bytes
}

// Close frees the sink; the next sink is no longer used. It returns nil. A second Close does nothing.
func (s *Sink) Close() error {
	if s.transform == nil {
		return nil
	}
	mem.Free(mem.Sink, unsafe.Pointer(s.c), s.size)
	s.transforms.release(s.transform)
	s.transform, s.c, s.next = nil, nil, nil
	return nil
}

// Version returns the version of lcms in use, such as "2.14".
func Version() string {
	v := int(C.cmsGetEncodedCMMversion())
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}
