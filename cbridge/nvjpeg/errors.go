package nvjpeg

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Status is a library status other than success. It is an error for use with errors.Is.
type Status int

// The statuses that callers distinguish.
const (
	BadJPEG          Status = C.NVJPEG_STATUS_BAD_JPEG
	NotSupported     Status = C.NVJPEG_STATUS_JPEG_NOT_SUPPORTED
	OutOfMemory      Status = C.NVJPEG_STATUS_ALLOCATOR_FAILURE
	ArchMismatch     Status = C.NVJPEG_STATUS_ARCH_MISMATCH
	NotImplemented   Status = C.NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED
	Incomplete       Status = C.NVJPEG_STATUS_INCOMPLETE_BITSTREAM
	executionFailed  Status = C.NVJPEG_STATUS_EXECUTION_FAILED
	internalError    Status = C.NVJPEG_STATUS_INTERNAL_ERROR
	invalidParameter Status = C.NVJPEG_STATUS_INVALID_PARAMETER
	notInitialized   Status = C.NVJPEG_STATUS_NOT_INITIALIZED
)

// texts are from the library's manual: the library has no function for them.
var texts = map[Status]string{
	notInitialized:   "not initialized",
	invalidParameter: "invalid parameter",
	BadJPEG:          "cannot parse the JPEG stream",
	NotSupported:     "JPEG stream not supported",
	OutOfMemory:      "allocation failed",
	executionFailed:  "execution on the device failed",
	ArchMismatch:     "the device lacks what the backend needs",
	internalError:    "internal error",
	NotImplemented:   "not implemented by the backend",
	Incomplete:       "incomplete bitstream",
}

// Error returns the description of the status in the library's manual.
func (s Status) Error() string {
	if text, ok := texts[s]; ok {
		return text
	}
	return fmt.Sprintf("nvJPEG status %d", int(s))
}

// Refusal reports whether the status concerns the image only, so that other images may still decode.
func (s Status) Refusal() bool { return s.class() != spool.ErrDevice }

func (s Status) class() spool.Class {
	switch s {
	case BadJPEG:
		return spool.ErrCorrupt
	case Incomplete:
		return spool.ErrTruncated
	case NotSupported, NotImplemented:
		return spool.ErrUnsupported
	}
	return spool.ErrDevice
}

const library = "libnvjpeg" // the name in errors

// failure returns the error of a failed call; op names the operation.
func failure(op string, f *C.spool_nvjpeg_failure) error {
	call := C.GoString(&f.call[0])
	if f.code == C.NVJPEG_STATUS_SUCCESS {
		return &spool.Error{Op: op, Class: spool.ErrDevice, Lib: library, Text: call + ": " + C.GoString(&f.text[0])}
	}
	status := Status(f.code)
	e := &spool.Error{Op: op, Class: status.class(), Lib: library, Code: int(status), Text: call + ": " + status.Error(),
		Err: status}
	if status == OutOfMemory {
		return fmt.Errorf("%w: %w", spool.ErrOutOfMemory, e)
	}
	return e
}
