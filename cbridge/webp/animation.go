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

// Animation composes the frames of an animation one after the other. It belongs to one goroutine at a time.
type Animation struct {
	header  Header
	film    *film
	cleanup runtime.Cleanup
	next    int
}

// film is what lies in C: the composer, which reads a copy of the file as long as it lives.
type film struct {
	decoder *C.spool_webp_animation
	file    unsafe.Pointer
	size    int
}

func (f *film) free() {
	C.spool_webp_animation_close(f.decoder)
	mem.Free(mem.Reader, f.file, f.size)
}

// OpenAnimation prepares the animation in data, which h is the header of, under the limit maxMemory, as
// in Options. Data are lent for the call: they are copied. The caller owns the animation and MUST
// Close it; one that is forgotten counts as memory in use until the garbage collector finds it.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported (a still picture) or too-large, or
// spool.ErrOutOfMemory.
func OpenAnimation(data []byte, h Header, maxMemory int64) (*Animation, error) {
	if len(data) == 0 {
		return nil, empty("decode")
	}
	if !h.Animated {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "a still picture as an animation"}
	}
	if err := (&Options{MaxMemory: maxMemory}).bound(h); err != nil {
		return nil, err
	}
	if h.cut {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: library, Text: "the animation goes on where the data end"}
	}
	f := &film{size: len(data)}
	var err error
	if f.file, err = mem.Alloc(mem.Reader, f.size); err != nil {
		return nil, err
	}
	copy(unsafe.Slice((*byte)(f.file), f.size), data)
	f.decoder = C.spool_webp_animation_open((*C.uint8_t)(f.file), C.size_t(f.size))
	if f.decoder == nil {
		f.free()
		return nil, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "the animation contradicts its own format"}
	}
	a := &Animation{header: h, film: f}
	a.cleanup = runtime.AddCleanup(a, (*film).free, f)
	return a, nil
}

// Next composes the next frame and delivers the rows of the canvas that o.Sink wants, RGBA; without a
// sink it composes only. The call stops within a piece of a frame's data, see Decode, when c's context ends.
//
// Errors are a *spool.Error of class no-such-frame after the last one, corrupt, canceled or timeout; or
// spool.ErrOptions, spool.ErrShape as in Decode, spool.ErrClosed. After an error there are no more frames.
func (a *Animation) Next(c *call.Call, o Options) (Report, error) {
	if a.film == nil {
		return Report{}, fmt.Errorf("webp: animation: %w", spool.ErrClosed)
	}
	if err := o.validate(a.header); err != nil {
		return Report{}, err
	}
	if a.next >= a.header.Frames {
		text := fmt.Sprintf("there is no frame %d: the animation has %d", a.next, a.header.Frames)
		return Report{}, &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
	}
	options := o.c(a.header)
	var r C.spool_webp_report
	status := C.spool_webp_animation_next(a.film.decoder, &options, (*C.spool_sink)(o.Sink), (*C.int32_t)(c.Flag()), &r)
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
	if a.film != nil {
		a.cleanup.Stop()
		a.film.free()
		a.film = nil
	}
	return nil
}
