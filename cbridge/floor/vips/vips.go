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

// The libvips operations that load each format from memory or from a file.
var loaders = map[vips.Format]string{
	vips.TIFF: "tiffload_buffer", vips.HEIF: "heifload_buffer", vips.JXL: "jxlload_buffer", vips.SVG: "svgload_buffer",
	vips.EXR: "openexrload", vips.HDR: "radload_buffer", vips.PDF: "pdfload_buffer", vips.Magick: "magickload_buffer",
}

// Load loads the first page with libvips into memory, which is discarded. Samples are those of libvips, 8 or 16 bits,
// with alpha if the file has it. Errors are of class corrupt without details, or unsupported for empty data or a format
// without a loader.
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
