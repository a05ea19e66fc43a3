// Package floor decodes images with the bare libraries and no other code. Benchmarks measure the lanes against it, and
// tests use it as a reference.
//
// Only benchmarks and tests import this package and the packages below it, which do the same for video, audio and
// devices. All its errors have the class corrupt, without details.
//
// The package is for this module only and makes no compatibility promise.
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

// answer converts a library's status to an error.
func answer(library string, status C.int) error {
	if status == 0 {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
}
