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

// Backend selects the hardware that decodes.
type Backend uint8

const (
	Auto     Backend = iota // Hardware if the device supports it, else Shaders
	Hardware                // the JPEG engine of A100, H100 and similar devices: baseline, one scan
	Shaders                 // the device's cores; small batches use the host for entropy coding
)

// Codec is a library handle for one device.
type Codec struct {
	library  *Library
	handle   C.nvjpegHandle_t
	hardware bool
	closed   atomic.Bool
}

// Open creates a codec in the current context. The caller owns it and MUST Close it, after all of its states. If the
// device lacks the backend, the cause of the error is ArchMismatch or another status of the library.
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

// Hardware reports whether the codec uses the device's JPEG engine.
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
