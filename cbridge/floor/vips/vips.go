package vips

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#cgo pkg-config: vips
#include <stdlib.h>
#include "load.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/vips"
)

// The operations that load each format from memory, or from a file.
var loaders = map[vips.Format]string{
	vips.TIFF: "tiffload_buffer", vips.HEIF: "heifload_buffer", vips.JXL: "jxlload_buffer", vips.SVG: "svgload_buffer",
	vips.EXR: "openexrload", vips.HDR: "radload_buffer", vips.PDF: "pdfload_buffer", vips.Magick: "magickload_buffer",
}

// Load has libvips load the first page into memory of its own, which is thrown away. Samples are as libvips makes them,
// 8 or 16 bits, with opacity where there is one. The error says no more than corrupt.
func Load(format vips.Format, data []byte) error {
	if len(data) == 0 || !vips.Reads(format) {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Lib: "libvips",
			Text: "nothing to load, or no loader"}
	}
	loader := C.CString(loaders[format])
	defer C.free(unsafe.Pointer(loader))
	failed := C.spool_floor_vips(loader, unsafe.Pointer(&data[0]), C.size_t(len(data)))
	runtime.KeepAlive(data)
	if failed != 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: "libvips", Text: "bare load failed"}
	}
	return nil
}
