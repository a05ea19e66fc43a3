package baseline

/*
#cgo CFLAGS: -O3 -g1 -Wall -Wextra -Werror -I${SRCDIR}/../../kernel -I${SRCDIR}/../../call
#cgo noescape spool_baseline_read_layout
#cgo nocallback spool_baseline_read_layout
#include "baseline.h"
*/
import "C"

import "unsafe"

// Plane is the samples of a component. The image has the first Width samples of each of the first Height rows. The
// plane has Rows rows, Stride bytes apart, because whole MCUs are decoded. Outside the blocks that overlap the image,
// samples are unspecified.
type Plane struct {
	Width, Height int
	Stride, Rows  int
}

// Layout describes the image of a file in scope.
type Layout struct {
	Width, Height int
	SubX, SubY    int     // luma samples for each chroma sample: 1 or 2
	Restart       int     // MCUs between restart markers; 0 without markers
	Planes        []Plane // one, or Y, Cb and Cr
}

// Bytes returns the size of all planes, one after the other.
func (l *Layout) Bytes() int {
	n := 0
	for _, p := range l.Planes {
		n += p.Stride * p.Rows
	}
	return n
}

// ReadLayout reads what precedes the scan, or returns the reason why the file is not in scope. It reads no coded data.
func ReadLayout(data []byte) (Layout, Reason) {
	var c C.spool_baseline_layout
	if reason := C.spool_baseline_read_layout(bytesOf(data), C.size_t(len(data)), &c); reason != C.SPOOL_BASELINE_DONE {
		return Layout{}, Reason(reason)
	}
	l := Layout{Width: int(c.width), Height: int(c.height), SubX: int(c.sub_x), SubY: int(c.sub_y),
		Restart: int(c.restart)}
	for _, p := range c.plane[:c.components] {
		l.Planes = append(l.Planes, Plane{int(p.width), int(p.height), int(p.stride), int(p.rows)})
	}
	return l, Decoded
}

// bytesOf returns the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
