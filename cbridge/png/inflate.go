package png

/*
#cgo noescape spool_inflate_all
#cgo nocallback spool_inflate_all
#include "inflate.h"
*/
import "C"

// inflate inflates a zlib stream of len(dst) bytes, in steps of `step` bytes, with one of the implementations. It
// returns the number of bytes, and whether the stream is valid.
func inflate(level int, dst, src []byte, step int) (n int, ok bool) {
	var came C.size_t
	status := C.spool_inflate_all(C.int(level), bytesOf(src), C.size_t(len(src)), bytesOf(dst), C.size_t(len(dst)),
		C.size_t(step), &came)
	return int(came), status == C.SPOOL_INFLATE_DONE
}

func inflateLevels() int { return int(C.spool_inflate_levels()) }
