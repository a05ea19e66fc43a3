package jpeg

/*
#cgo noescape spool_jpeg_repack
#cgo nocallback spool_jpeg_repack
#include <stdlib.h>
#include "repack.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// RepackOptions are the options of Repack.
type RepackOptions struct {
	// RestartRows puts a restart marker after so many rows of blocks (MCUs). 0: none.
	RestartRows int
	// MaxMemory limits the memory for coefficients, 2 bytes each. 0: DefaultMaxMemory; below 0: no limit.
	MaxMemory int64
}

// Repack codes a file's coefficients anew, with Huffman tables of the image itself: a file with the same pixels, of all
// decoders, that is usually smaller. All markers are kept. A progressive file stays progressive.
//
// Data are borrowed, and the caller owns the file. Errors: those of Decode; unsupported if bytes follow the image, or
// scans of a progressive one are missing; and corrupt for data that libjpeg-turbo warns of.
func Repack(c *call.Call, data []byte, o RepackOptions) ([]byte, error) {
	if err := sniff("repack", data); err != nil {
		return nil, err
	}
	options := C.spool_jpeg_repacking{restart_rows: C.int32_t(o.RestartRows), max_scans: maxScans,
		max_memory: C.int64_t(max(o.MaxMemory, 0))}
	if o.MaxMemory == 0 {
		options.max_memory = DefaultMaxMemory
	}
	var file *C.uint8_t
	var size C.size_t
	var r C.spool_jpeg_report
	status := C.spool_jpeg_repack(bytesOf(data), C.size_t(len(data)), &options, (*C.int32_t)(c.Flag()), &file, &size, &r)
	defer C.free(unsafe.Pointer(file))
	switch {
	case status == C.SPOOL_CANCELLED:
		return nil, cancelled(c)
	case status != C.SPOOL_JPEG_OK:
		return nil, failure("repack", status, &r)
	case r.warnings > 0:
		return nil, &spool.Error{Op: "repack", Class: spool.ErrCorrupt, Lib: library, Text: textOf(&r.warning)}
	case r.incomplete != 0:
		return nil, &spool.Error{Op: "repack", Class: spool.ErrUnsupported,
			Text: "the scans do not give all bits of the coefficients, so that decoders smooth the image"}
	case r.trailing > 0:
		return nil, &spool.Error{Op: "repack", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%d bytes follow the image", r.trailing)}
	}
	return C.GoBytes(unsafe.Pointer(file), C.int(min(size, math.MaxInt32))), nil
}
