package gif

/*
#cgo LDFLAGS: -lgif
#include "gif.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

// FloorRGB decodes the first frame with giflib and nothing around it: what benchmarks measure Decode
// by, and a second opinion for tests. Dst takes the frame, without its canvas, as RGB, rows without
// gaps. The error says no more than corrupt.
func FloorRGB(data, dst []byte) error {
	status := C.spool_gif_floor_rgb((*C.uint8_t)(unsafe.SliceData(data)), C.size_t(len(data)),
		(*C.uint8_t)(unsafe.SliceData(dst)), C.size_t(len(dst)))
	if status == C.SPOOL_GIF_OK {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: "giflib", Text: "bare decode failed"}
}
