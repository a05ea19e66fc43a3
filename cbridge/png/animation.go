package png

/*
#cgo noescape spool_png_animation_next
#cgo nocallback spool_png_animation_next
#include "spool_png.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// Animation composes the frames of an animation (APNG) in order. It belongs to one goroutine at a time.
type Animation struct {
	data    []byte
	state   *state
	cleanup runtime.Cleanup
}

// canvasState bounds the memory that is needed in addition to the pixels of a canvas.
const canvasState = 1 << 10

// state is the canvas in C memory.
type state struct {
	memory unsafe.Pointer
	bytes  int
}

func (s *state) free() {
	mem.Free(mem.Scratch, s.memory, s.bytes)
	s.memory = nil
}

// OpenAnimation prepares to compose the frames of the image in data. A still image has one frame.
//
//	Ownership: data is borrowed until Close, which must be called.
//	Errors:    those of ReadHeader; too-large for a canvas that takes more than maxMemory, where 0
//	           means DefaultMaxMemory and negative no limit; spool.ErrOutOfMemory.
//	Cost:      twice the image, of 1, 3 or 4 bytes a pixel, until Close: the canvas, and its earlier
//	           state for frames that are reverted.
func OpenAnimation(data []byte, maxMemory int64) (*Animation, error) {
	o := Options{MaxMemory: maxMemory}
	o.setDefaults()
	if err := sniff("decode", data); err != nil {
		return nil, err
	}
	h, r, status := readHeader(data)
	if status != C.SPOOL_PNG_OK {
		return nil, failure("decode", status, &r)
	}
	bytes := int64(C.spool_png_animation_bytes(&h))
	if bytes > o.MaxMemory {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("an animation of %dx%d takes %d bytes of memory, the limit is %d", h.width, h.height, bytes,
				o.MaxMemory)}
	}
	memory, err := mem.Alloc(mem.Scratch, int(bytes))
	if err != nil {
		return nil, err
	}
	C.spool_png_animation_init((*C.spool_png_animation)(memory), &h)
	a := &Animation{data: data, state: &state{memory, int(bytes)}}
	a.cleanup = runtime.AddCleanup(a, (*state).free, a.state)
	return a, nil
}

// Next composes the next frame, as in Pillow, and delivers the whole canvas like Decode delivers an image. Without Sink
// and Dst it only composes. Samples have 8 bits.
//
// Errors are those of Decode, and no-such-frame after the last frame. After an error or accepted damage, the canvas is
// undefined and Next must not be called again.
func (a *Animation) Next(c *call.Call, o Options) (Report, error) {
	defer c.Part("png: frame", c.Begin())
	if a.state == nil {
		return Report{}, fmt.Errorf("png: animation: %w", spool.ErrClosed)
	}
	o.setDefaults()
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	options := o.c()
	var r C.spool_png_report
	status := C.spool_png_animation_next((*C.spool_png_animation)(a.state.memory), bytesOf(a.data), C.size_t(len(a.data)),
		&options, (*C.spool_sink)(o.Sink), bytesOf(o.Dst), C.size_t(len(o.Dst)), C.size_t(o.Stride), (*C.int32_t)(c.Flag()),
		&r)
	runtime.KeepAlive(a)
	return conclude(c, status, &r)
}

// Close frees the canvas. It returns nil; a second Close does nothing.
func (a *Animation) Close() error {
	if a.state != nil {
		a.cleanup.Stop()
		a.state.free()
		a.state, a.data = nil, nil
	}
	return nil
}
