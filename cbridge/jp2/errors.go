package jp2

/*
#cgo pkg-config: libopenjp2
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#include <openjpeg.h>
#include "jp2.h"
*/
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const library = "libopenjp2"

// Version returns the version of libopenjp2.
func Version() string { return C.GoString(C.opj_version()) }

func fault(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
}

func endsEarly() error { return fault(spool.ErrTruncated, "the file ends within its header") }

// failure returns the error of a call whose status is not OK. The library has no error codes: what it refuses is
// corrupt.
func failure(c *call.Call, status C.int, r *C.spool_jp2_report) error {
	e := &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: C.GoString(&r.text[0])}
	switch status {
	case C.SPOOL_CANCELLED:
		err := c.Err()
		return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	case C.SPOOL_JP2_FAILED:
		if e.Text == "" {
			e.Text = "cannot be decoded"
		}
		return e
	case C.SPOOL_JP2_CHANGED:
		e.Text = "tiles or components differ from the header"
		return e
	case C.SPOOL_JP2_MISSING:
		e.Text = "a tile is missing"
		return e
	case C.SPOOL_JP2_MEMORY:
		return fmt.Errorf("%w: for a JPEG 2000 image", spool.ErrOutOfMemory)
	}
	return fmt.Errorf("%w: jp2: the sink failed (status %d)", spool.ErrInternal, status)
}
