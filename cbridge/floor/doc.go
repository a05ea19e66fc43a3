// Package floor decodes pictures with the bare libraries and nothing around them. Benchmarks measure the lanes by it,
// and tests take it for a second opinion.
//
// Nothing but benchmarks and tests imports it, or the packages below it, which have floors of more than pictures. Its
// errors say no more than corrupt.
package floor

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#cgo pkg-config: libjpeg libpng libdeflate libavif libopenjp2 libwebp libwebpdemux
#cgo LDFLAGS: -lgif
#include "floor.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// answer is the error of what a library has returned.
func answer(library string, status C.int) error {
	if status == 0 {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
}
