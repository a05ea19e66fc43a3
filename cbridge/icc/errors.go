package icc

// #include "icc.h"
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

const library = "lcms2" // the name in errors

func failure(class spool.Class, text string) error {
	return &spool.Error{Op: "decode", Class: class, Lib: library, Text: text}
}

// refusal returns the error of a profile for which spool_icc_open returned code. text is lcms' message, if it has one.
func refusal(code C.int, text string, o Options) error {
	switch code {
	case C.SPOOL_ICC_BROKEN:
		if text == "" {
			text = "not a readable profile"
		}
		return failure(spool.ErrCorrupt, "color profile: "+text)
	case C.SPOOL_ICC_UNFIT:
		return failure(spool.ErrUnsupported, "a color profile of another color space than the image's, or not for images")
	case C.SPOOL_ICC_TOO_LARGE:
		return failure(spool.ErrTooLarge, fmt.Sprintf("a color profile that needs more than %d bytes of memory", o.MaxMemory))
	case C.SPOOL_ICC_NO_MEMORY:
		return fmt.Errorf("%w: for a color profile", spool.ErrOutOfMemory)
	}
	return fmt.Errorf("%w: a color profile failed with %d", spool.ErrInternal, code)
}
