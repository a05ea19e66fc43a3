package vips

// #include "load.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// FloorRGB has libvips load the first page into memory of its own, which is thrown away: the floor that
// benchmarks measure Decode by. Samples are as libvips makes them, 8 or 16 bits, with opacity where
// there is one. The error says no more than corrupt.
func FloorRGB(format Format, data []byte) error {
	if len(data) == 0 || !Reads(format) {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Lib: library, Text: "nothing to load, or no loader"}
	}
	failed := C.spool_vips_floor(C.int(format), unsafe.Pointer(&data[0]), C.size_t(len(data)))
	runtime.KeepAlive(data)
	if failed != 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare load failed"}
	}
	return nil
}
