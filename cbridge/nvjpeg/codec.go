package nvjpeg

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
)

// Backend is what decodes.
type Backend uint8

const (
	Auto     Backend = iota // Hardware where the device has it, else Shaders
	Hardware                // the device's JPEG engine, of A100, H100 and their kin: baseline, one scan
	Shaders                 // the device's cores, entropy coding on the host's for small batches
)

// Codec is a handle of the library's, for one device.
type Codec struct {
	library  *Library
	handle   C.nvjpegHandle_t
	hardware bool
	closed   atomic.Bool
}

// Open makes a codec, in the context that is current. The caller owns it and MUST Close it, after all of its states.
// A backend that the device does not have is an error whose cause is ArchMismatch, or what the library says.
func (l *Library) Open(b Backend) (*Codec, error) {
	switch b {
	case Auto:
		c, err := l.open(true)
		if status, ok := errors.AsType[Status](err); ok && status != OutOfMemory {
			return l.open(false)
		}
		return c, err
	case Hardware, Shaders:
		return l.open(b == Hardware)
	}
	return nil, fmt.Errorf("%w: nvjpeg: no backend %d", spool.ErrOptions, b)
}

func (l *Library) open(hardware bool) (*Codec, error) {
	backend, flags := C.nvjpegBackend_t(C.NVJPEG_BACKEND_DEFAULT), C.uint(C.NVJPEG_FLAGS_BITSTREAM_STRICT)
	switch {
	case hardware:
		backend = C.NVJPEG_BACKEND_HARDWARE
	case l.atLeast(12, 1):
		flags |= C.NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION
	}
	c := &Codec{library: l, hardware: hardware}
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_open(&l.entries, backend, flags, &c.handle, &f) != C.NVJPEG_STATUS_SUCCESS {
		return nil, failure("open", &f)
	}
	codecs.Add(1)
	return c, nil
}

// Hardware reports whether the device's JPEG engine decodes.
func (c *Codec) Hardware() bool { return c.hardware }

// Close frees the codec. A second Close does nothing.
func (c *Codec) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	codecs.Add(-1)
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_close(&c.library.entries, c.handle, &f) != C.NVJPEG_STATUS_SUCCESS {
		return failure("close", &f)
	}
	return nil
}
