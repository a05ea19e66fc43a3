package nvjpeg

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Status is a status of the library's other than success. It is an error, to be used with errors.Is.
type Status int

// The statuses that callers tell apart.
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

// texts are what the library's manual says: the library itself has none.
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

// Error is what the library's manual says of the status.
func (s Status) Error() string {
	if text, ok := texts[s]; ok {
		return text
	}
	return fmt.Sprintf("nvJPEG status %d", int(s))
}

// Refusal reports whether the status is about the picture, and so no reason to give up on others.
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

const library = "libnvjpeg" // as errors name it

// failure is the error of a call; op is what it was for.
func failure(op string, f *C.spool_nvjpeg_failure) error {
	call := C.GoString(&f.call[0])
	if f.code == C.NVJPEG_STATUS_SUCCESS {
		return &spool.Error{Op: op, Class: spool.ErrDevice, Lib: library, Text: call + ": " + C.GoString(&f.text[0])}
	}
	status := Status(f.code)
	e := &spool.Error{Op: op, Class: status.class(), Lib: library, Code: int(status), Text: call + ": " + status.Error(), Err: status}
	if status == OutOfMemory {
		return fmt.Errorf("%w: %w", spool.ErrOutOfMemory, e)
	}
	return e
}
