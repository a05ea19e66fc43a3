package vips

// #include "cancel.h"
// #include "load.h"
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const library = "libvips" // the name in errors

// classes are the error classes of load.h's codes. libvips has no error codes, so everything that it refuses is
// corrupt. Whether a file is truncated has to be determined from its structure.
var classes = map[C.int]struct {
	class spool.Class
	text  string // used if libvips gave none
}{
	C.SPOOL_VIPS_FAILED:      {spool.ErrCorrupt, "cannot be read"},
	C.SPOOL_VIPS_UNSUPPORTED: {spool.ErrUnsupported, "samples that have no gray or RGB form of 8 or 16 bits"},
	C.SPOOL_VIPS_CHANGED:     {spool.ErrCorrupt, "the image differs from its header"},
}

// failure returns the error of a C call that returned code.
func failure(c *call.Call, op string, format Format, code C.int, note *C.spool_vips_note) error {
	if code == C.SPOOL_CANCELLED {
		err := c.Err()
		return &spool.Error{Op: op, Class: spool.ClassOf(err), Err: err}
	}
	if code == C.SPOOL_VIPS_NO_MEMORY {
		return fmt.Errorf("%w: for a row of %s", spool.ErrOutOfMemory, format)
	}
	known, ok := classes[code]
	if !ok {
		return fmt.Errorf("%w: %s of %s failed with %d", spool.ErrInternal, op, format, code)
	}
	text := C.GoString(&note.text[0])
	if text == "" {
		text = known.text
	}
	return &spool.Error{Op: op, Class: known.class, Lib: library, Text: text}
}

func noSuchPage(page, pages int) error {
	return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: fmt.Sprintf("page %d of %d", page, pages)}
}
