package png

/*
#include <libdeflate.h>
#include <png.h>
#include "spool_png.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Version returns the versions of the libpng and libdeflate headers that this package was built with.
func Version() (libpng, libdeflate string) {
	return C.PNG_LIBPNG_VER_STRING, C.LIBDEFLATE_VERSION_STRING
}

func cancelled(c *call.Call) error {
	err := c.Err()
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
}

// classes are the error classes of status codes about the file.
var classes = map[C.int]spool.Class{
	C.SPOOL_PNG_NOT_PNG:     spool.ErrNotMedia,
	C.SPOOL_PNG_TRUNCATED:   spool.ErrTruncated,
	C.SPOOL_PNG_CORRUPT:     spool.ErrCorrupt,
	C.SPOOL_PNG_UNSUPPORTED: spool.ErrUnsupported,
}

// failure returns the error of a call whose status is not OK. libpng has messages, but no codes.
func failure(op string, status C.int, r *C.spool_png_report) error {
	if class, ok := classes[status]; ok {
		e := &spool.Error{Op: op, Class: class, Text: textOf(&r.text)}
		if r.engine == C.SPOOL_PNG_LIBPNG {
			e.Lib = "libpng"
			e.Text = fmt.Sprintf("%s, %.1f %% of the image read", e.Text, 100*float64(r.fraction))
		}
		return e
	}
	switch status {
	case C.SPOOL_PNG_TOO_LARGE:
		return &spool.Error{Op: op, Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("an image of %dx%d takes %d bytes of memory", r.width, r.height, r.memory)}
	case C.SPOOL_PNG_NO_FRAME:
		return &spool.Error{Op: op, Class: spool.ErrNoSuchFrame, Text: "the animation is at its end"}
	case C.SPOOL_PNG_NO_MEMORY:
		return fmt.Errorf("%w: png: an image of %dx%d", spool.ErrOutOfMemory, r.width, r.height)
	case C.SPOOL_PNG_SHAPE:
		return fmt.Errorf("%w: an image of %dx%d does not match the destination", spool.ErrShape, r.width, r.height)
	}
	return fmt.Errorf("%w: png: the sink failed (status %d)", spool.ErrInternal, status)
}

// textOf copies a text from C. Unlike C.GoString, it does not make the report escape to the heap.
func textOf(t *[C.SPOOL_PNG_TEXT]C.char) string {
	text := (*[C.SPOOL_PNG_TEXT]byte)(unsafe.Pointer(t))[:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return string(text)
}
