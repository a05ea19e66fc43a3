package webp

/*
#cgo noescape spool_webp_animation_next
#cgo nocallback spool_webp_animation_next
#include "webp.h"
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

// Animation composes the frames of an animation in order. It belongs to one goroutine at a time.
type Animation struct {
	header   Header
	composer *composer
	cleanup  runtime.Cleanup
	next     int
}

// composer is the C state of an animation, and the copy of the file that it reads.
type composer struct {
	decoder *C.spool_webp_animation
	file    unsafe.Pointer
	size    int
}

func (c *composer) free() {
	C.spool_webp_animation_close(c.decoder)
	mem.Free(mem.Reader, c.file, c.size)
}

// OpenAnimation opens the animation with header h in data. maxMemory limits its memory, as in Options. It borrows data
// for the call, and copies them. The caller owns the animation and MUST Close it. An animation that is not closed
// counts as memory in use until it is garbage collected.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported (a still image) or too-large, or
// spool.ErrOutOfMemory.
func OpenAnimation(data []byte, h Header, maxMemory int64) (*Animation, error) {
	if len(data) == 0 {
		return nil, empty("decode")
	}
	if !h.Animated {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: "a still image cannot be opened as an animation"}
	}
	if err := (&Options{MaxMemory: maxMemory}).bound(h); err != nil {
		return nil, err
	}
	if h.truncated {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: library,
			Text: "the data end within the animation"}
	}
	c := &composer{size: len(data)}
	var err error
	if c.file, err = mem.Alloc(mem.Reader, c.size); err != nil {
		return nil, err
	}
	copy(unsafe.Slice((*byte)(c.file), c.size), data)
	c.decoder = C.spool_webp_animation_open((*C.uint8_t)(c.file), C.size_t(c.size))
	if c.decoder == nil {
		c.free()
		return nil, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library,
			Text: "the animation contradicts its own format"}
	}
	a := &Animation{header: h, composer: c}
	a.cleanup = runtime.AddCleanup(a, (*composer).free, c)
	return a, nil
}

// Next composes the next frame and pushes the rows of the RGBA canvas that o.Sink wants. Without a sink it only
// composes. When c's context ends, the call stops within a piece of a frame's data (see Decode).
//
// Errors are a *spool.Error of class no-such-frame after the last frame, corrupt, canceled or timeout; or
// spool.ErrOptions, spool.ErrShape as in Decode, spool.ErrClosed. After an error there are no more frames.
func (a *Animation) Next(c *call.Call, o Options) (Report, error) {
	if a.composer == nil {
		return Report{}, fmt.Errorf("webp: animation: %w", spool.ErrClosed)
	}
	if err := o.validate(a.header); err != nil {
		return Report{}, err
	}
	if a.next >= a.header.Frames {
		text := fmt.Sprintf("there is no frame %d: the animation's frame count is %d", a.next, a.header.Frames)
		return Report{}, &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
	}
	defer c.Part("libwebp: frame", c.Begin())
	options := o.c(a.header)
	var r C.spool_webp_report
	status := C.spool_webp_animation_next(a.composer.decoder, &options, (*C.spool_sink)(o.Sink), (*C.int32_t)(c.Flag()),
		&r)
	runtime.KeepAlive(a)
	if status != C.SPOOL_WEBP_OK {
		frame := a.next
		a.next = a.header.Frames
		return Report{}, frameFailure(c, a.header, frame, status, &r)
	}
	a.next++
	return Report{Rows: int(r.rows), Fraction: 1}, nil
}

// Close frees the animation. It returns nil; a second Close does nothing.
func (a *Animation) Close() error {
	if a.composer != nil {
		a.cleanup.Stop()
		a.composer.free()
		a.composer = nil
	}
	return nil
}
