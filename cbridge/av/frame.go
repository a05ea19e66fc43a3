package av

/*
#cgo noescape spool_av_frame_describe
#cgo nocallback spool_av_frame_describe
#include "av.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Frame is a decoded image, or a run of audio samples. Its planes are in C memory. It may be used by one goroutine at a
// time. The next Receive replaces its content.
type Frame struct {
	PTS      int64 // in ticks of the stream; NoPTS if the packets have none
	Guess    int64 // PTS, or FFmpeg's estimate from the packets' DTS if PTS is missing or invalid
	DTS      int64 // of the packet that it was decoded from
	Duration int64 // in ticks; 0 if unknown
	Key      bool
	Corrupt  bool // decoded from damaged or missing data

	// For video.
	Width, Height int
	PixelFormat   PixelFormat
	Interlaced    bool
	Color         Color

	// For audio.
	Samples, Rate, Channels int
	SampleFormat            SampleFormat

	frame    *astiav.Frame // nil after Release
	hardware bool          // the planes are in device memory
	cleanup  runtime.Cleanup
}

// SampleFormat is FFmpeg's number of a sample format. It can differ between releases.
type SampleFormat int32

// String returns the format's name, such as "fltp".
func (f SampleFormat) String() string { return astiav.SampleFormat(f).Name() }

type frameResource struct{ *astiav.Frame }

func (f frameResource) free() { f.Free() }

// NewFrame allocates an empty frame. The caller MUST call Release.
func NewFrame() (*Frame, error) { return newFrame(astiav.AllocFrame()) }

func newFrame(frame *astiav.Frame) (*Frame, error) {
	if frame == nil {
		return nil, fmt.Errorf("%w: av: frame", spool.ErrOutOfMemory)
	}
	handles.Add(1)
	f := &Frame{frame: frame}
	f.cleanup = runtime.AddCleanup(f, forget, resource(frameResource{frame}))
	return f, nil
}

// Clone returns a frame that shares the planes. The caller MUST call Release.
func (f *Frame) Clone() (*Frame, error) {
	if f.frame == nil {
		return nil, closed("frame")
	}
	defer runtime.KeepAlive(f)
	clone, err := newFrame(f.frame.Clone())
	if err == nil {
		clone.describe()
	}
	return clone, err
}

// describe sets the fields.
func (f *Frame) describe() {
	var d C.spool_av_frame
	C.spool_av_frame_describe(f.frame.UnsafePointer(), &d)
	f.PTS, f.Guess, f.DTS, f.Duration = int64(d.pts), int64(d.guess), int64(d.dts), int64(d.duration)
	f.Key, f.Corrupt, f.Interlaced, f.hardware = d.key != 0, d.corrupt != 0, d.interlaced != 0, d.hardware != 0
	f.Width, f.Height, f.PixelFormat = int(d.width), int(d.height), PixelFormat(d.format)
	f.Color = Color{int32(d.matrix), int32(d._range), int32(d.primaries), int32(d.transfer), int32(d.chroma_location)}
	f.Samples, f.Rate, f.Channels, f.SampleFormat = int(d.samples), int(d.rate), int(d.channels), SampleFormat(d.format)
}

// PushLuma pushes the rows of the first plane that a sink needs, as they are stored. The sink is a spool_sink of
// cbridge/kernel's sink.h, for the frame's size, one channel, and 16 bits if the samples have more than 8. Otherwise as
// PushPlanes.
func (f *Frame) PushLuma(c *call.Call, sink unsafe.Pointer) error {
	defer c.Part("spool kernel: convert and resize", c.Begin())
	if f.frame == nil {
		return closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.pushed(c, C.spool_av_frame_luma(f.frame.UnsafePointer(), (*C.spool_sink)(sink)))
}

// PushPlanes pushes the rows that a planes sink needs. The sink is a spool_planes of cbridge/kernel's planes.h, and its
// plan must have the frame's size and format.
//
//   - Ownership: the sink is borrowed for the call.
//   - Cancellation: only before the frame. A 4K image takes about 10 ms.
//   - Errors: spool.ErrShape if the sink is not for such a frame.
func (f *Frame) PushPlanes(c *call.Call, planes unsafe.Pointer) error {
	defer c.Part("spool kernel: convert and resize", c.Begin())
	if f.frame == nil {
		return closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.pushed(c, C.spool_av_frame_push(f.frame.UnsafePointer(), (*C.spool_planes)(planes)))
}

// pushed returns the error of a call that pushed to a sink.
func (f *Frame) pushed(c *call.Call, status C.int) error {
	switch {
	case status == 0:
		return nil
	case status == C.SPOOL_CANCELLED:
		return cancelled(c, opDecode)
	case status == C.SPOOL_AV_SINK:
		return fmt.Errorf("%w: av: the sink refused rows of %dx%d %v", spool.ErrInternal, f.Width, f.Height, f.PixelFormat)
	case status == C.SPOOL_AV_SHAPE:
		return fmt.Errorf("%w: av: a sink of another size for %dx%d %v", spool.ErrShape, f.Width, f.Height, f.PixelFormat)
	}
	return failure(c, opDecode, astiav.Error(status))
}

// Clear releases the planes of a frame that is used again.
func (f *Frame) Clear() {
	if f.frame != nil {
		f.frame.Unref()
	}
}

// Release frees the frame. A second Release does nothing.
func (f *Frame) Release() {
	if f.frame != nil {
		f.cleanup.Stop()
		release(frameResource{f.frame})
		f.frame = nil
	}
}
