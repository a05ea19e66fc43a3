package nvjpeg

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// State decodes batches, one at a time. It belongs to one goroutine at a time.
type State struct {
	codec *Codec
	state C.spool_nvjpeg_state
	open  bool
}

// Item is an image and the destination of its pixels.
type Item struct {
	Data  []byte // outside the Go heap or pinned; MUST NOT move or change until the stream has completed the batch
	To    uint64 // a CUdeviceptr
	Pitch int    // bytes from one row to the next, at least 3 x width
}

// NewState creates a state. The caller owns it and MUST Close it.
func (c *Codec) NewState() (*State, error) {
	s := &State{codec: c, open: true}
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_state_open(&c.library.entries, c.handle, &s.state, &f) != C.NVJPEG_STATUS_SUCCESS {
		return nil, failure("open", &f)
	}
	states.Add(1)
	return s, nil
}

// Close frees the state. No stream may still use it. A second Close does nothing.
func (s *State) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	states.Add(-1)
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_state_close(&s.codec.library.entries, &s.state, &f) != C.NVJPEG_STATUS_SUCCESS {
		return failure("close", &f)
	}
	return nil
}

// Inspect reads an image's header. It reports whether Decode supports the image, and the image's size as the library
// reads it. The data are borrowed for the call. If the Status of an error is a Refusal, the image is the cause.
func (s *State) Inspect(data []byte) (taken bool, width, height int, err error) {
	if !s.open {
		return false, 0, 0, spool.ErrClosed
	}
	var f C.spool_nvjpeg_failure
	var took C.int
	var w, h C.uint
	if C.spool_nvjpeg_inspect(&s.codec.library.entries, &s.state, (*C.uint8_t)(unsafe.SliceData(data)),
		C.size_t(len(data)), &took, &w, &h, &f) != C.NVJPEG_STATUS_SUCCESS {
		return false, 0, 0, failure("inspect", &f)
	}
	return took != 0, int(w), int(h), nil
}

// Decode queues the decoding of a batch in a stream. Each image is decoded whole, as stored, to interleaved RGB. The
// state is in use until the stream has completed the batch. With Shaders, threads of the host help with entropy coding.
// If one image is refused, the batch fails. The pixels of all its images are then undefined, and the failure says
// nothing about the other images.
func (s *State) Decode(items []Item, threads int, stream uintptr) error {
	if !s.open {
		return spool.ErrClosed
	}
	if len(items) == 0 || threads < 1 {
		return fmt.Errorf("%w: nvjpeg: %d images with %d threads", spool.ErrOptions, len(items), threads)
	}
	list := make([]C.spool_nvjpeg_item, len(items))
	for i, item := range items {
		list[i] = C.spool_nvjpeg_item{data: (*C.uint8_t)(unsafe.SliceData(item.Data)), size: C.size_t(len(item.Data)),
			to: C.uint64_t(item.To), pitch: C.size_t(item.Pitch)}
	}
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_decode(&s.codec.library.entries, &s.state, &list[0], C.int(len(list)), C.int(threads),
		C.uintptr_t(stream), &f) != C.NVJPEG_STATUS_SUCCESS {
		return failure("decode", &f)
	}
	return nil
}
