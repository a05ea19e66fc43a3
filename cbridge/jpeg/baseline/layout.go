package baseline

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../../kernel -I${SRCDIR}/../../call
#cgo noescape spool_baseline_read_layout
#cgo nocallback spool_baseline_read_layout
#include "baseline.h"
*/
import "C"

import "unsafe"

// Plane is a component's samples: the picture's are the first Width of each of the first Height rows. Rows
// are Stride bytes apart, and there are Rows of them, because whole MCUs are decoded; beyond the blocks that
// the picture reaches into, samples are unspecified.
type Plane struct {
	Width, Height int
	Stride, Rows  int
}

// Layout is the picture of a file in scope.
type Layout struct {
	Width, Height int
	SubX, SubY    int     // samples of luma to one of chroma: 1 or 2
	Restart       int     // MCUs between restart markers; 0 without them
	Planes        []Plane // one, or Y, Cb and Cr
}

// Bytes is the size of all planes, one behind the other.
func (l *Layout) Bytes() int {
	n := 0
	for _, p := range l.Planes {
		n += p.Stride * p.Rows
	}
	return n
}

// ReadLayout reads what comes before the scan, or says why the file is not in scope. It looks at no coded data.
func ReadLayout(data []byte) (Layout, Reason) {
	var c C.spool_baseline_layout
	if reason := C.spool_baseline_read_layout(bytesOf(data), C.size_t(len(data)), &c); reason != C.SPOOL_BASELINE_DONE {
		return Layout{}, Reason(reason)
	}
	l := Layout{Width: int(c.width), Height: int(c.height), SubX: int(c.sub_x), SubY: int(c.sub_y), Restart: int(c.restart)}
	for _, p := range c.plane[:c.components] {
		l.Planes = append(l.Planes, Plane{int(p.width), int(p.height), int(p.stride), int(p.rows)})
	}
	return l, Decoded
}

// bytesOf is the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
