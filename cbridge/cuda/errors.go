package cuda

/*
#include "bridge.h"
*/
import "C"

import (
	"cmp"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Code is a CUresult of the driver other than success. It is an error for use with errors.Is.
type Code int

// The codes that callers distinguish.
const (
	OutOfMemory Code = C.CUDA_ERROR_OUT_OF_MEMORY
	NoDevice    Code = C.CUDA_ERROR_NO_DEVICE
)

// Error returns the number, as in the driver's manual.
func (c Code) Error() string { return fmt.Sprintf("CUDA error %d", int(c)) }

const library = "libcuda" // the name in errors

// failure returns the error of a call. op is the operation.
func failure(op string, f *C.spool_cuda_failure) error {
	e := &spool.Error{Op: op, Class: spool.ErrDevice, Lib: library, Code: int(f.code)}
	call, text := C.GoString(&f.call[0]), C.GoString(&f.text[0])
	if f.code == C.CUDA_SUCCESS {
		e.Text = call + ": " + text
		return e
	}
	code := Code(f.code)
	e.Err = code
	e.Text = fmt.Sprintf("%s: %s: %s", call, cmp.Or(C.GoString(&f.name[0]), "unknown error"), cmp.Or(text, "no text"))
	if code == OutOfMemory {
		return fmt.Errorf("%w: %w", spool.ErrOutOfMemory, e)
	}
	return e
}
