package icc

// #include "icc.h"
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

const library = "lcms2" // as errors name it

func failure(class spool.Class, text string) error {
	return &spool.Error{Op: "decode", Class: class, Lib: library, Text: text}
}

// refusal is the error of a profile for which init returned code and lcms, perhaps, a text.
func refusal(code C.int, text string, o Options) error {
	switch code {
	case C.SPOOL_ICC_BROKEN:
		if text == "" {
			text = "no profile that can be read"
		}
		return failure(spool.ErrCorrupt, "colour profile: "+text)
	case C.SPOOL_ICC_UNFIT:
		return failure(spool.ErrUnsupported, "a colour profile of another kind than the picture")
	case C.SPOOL_ICC_TOO_LARGE:
		return failure(spool.ErrTooLarge, fmt.Sprintf("a colour profile that takes more than %d bytes of memory", o.MaxMemory))
	case C.SPOOL_ICC_NO_MEMORY:
		return fmt.Errorf("%w: for a colour profile", spool.ErrOutOfMemory)
	}
	return fmt.Errorf("%w: a colour profile failed with %d", spool.ErrInternal, code)
}
