package av

/*
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

// Frame is a decoded picture, or a run of samples. Its planes stay in C memory. It belongs to one goroutine at
// a time, and is used again by the next Receive.
type Frame struct {
	PTS      int64 // in ticks of the stream; NoPTS when the packets had none
	Guess    int64 // PTS, or what FFmpeg makes of the packets' DTS where that is missing or cannot be
	DTS      int64 // of the packet that it came from
	Duration int64 // in ticks; 0 when unknown
	Key      bool
	Corrupt  bool // decoded of damaged or missing data

	// Of video.
	Width, Height int
	PixelFormat   PixelFormat
	Interlaced    bool
	Color         Color

	// Of audio.
	Samples, Rate, Channels int
	SampleFormat            SampleFormat

	frame    *astiav.Frame // nil when released
	hardware bool          // the planes are in a device's memory
	cleanup  runtime.Cleanup
}

// SampleFormat is FFmpeg's number for how samples are stored; it may differ between releases.
type SampleFormat int32

// String is its name, "fltp".
func (f SampleFormat) String() string { return astiav.SampleFormat(f).Name() }

type heldFrame struct{ *astiav.Frame }

func (f heldFrame) free() { f.Free() }

// NewFrame makes an empty frame. The caller MUST call Release.
func NewFrame() (*Frame, error) { return newFrame(astiav.AllocFrame()) }

func newFrame(frame *astiav.Frame) (*Frame, error) {
	if frame == nil {
		return nil, fmt.Errorf("%w: av: frame", spool.ErrOutOfMemory)
	}
	handles.Add(1)
	f := &Frame{frame: frame}
	f.cleanup = runtime.AddCleanup(f, forget, held(heldFrame{frame}))
	return f, nil
}

// Clone is a frame of the same planes, which are shared. The caller MUST call Release.
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

// describe reads the fields.
func (f *Frame) describe() {
	var d C.spool_av_frame
	C.spool_av_frame_describe(f.frame.UnsafePointer(), &d)
	f.PTS, f.Guess, f.DTS, f.Duration = int64(d.pts), int64(d.guess), int64(d.dts), int64(d.duration)
	f.Key, f.Corrupt, f.Interlaced, f.hardware = d.key != 0, d.corrupt != 0, d.interlaced != 0, d.hardware != 0
	f.Width, f.Height, f.PixelFormat = int(d.width), int(d.height), PixelFormat(d.format)
	f.Color = Color{int32(d.matrix), int32(d._range), int32(d.primaries), int32(d.transfer), int32(d.chroma_location)}
	f.Samples, f.Rate, f.Channels, f.SampleFormat = int(d.samples), int(d.rate), int(d.channels), SampleFormat(d.format)
}

// PushPlanes pushes the rows that a planes sink wants, a spool_planes of cbridge/kernel's planes.h, whose plan has to be of
// the frame's size and format.
//
//	Ownership:    the sink is lent.
//	Cancellation: before the frame only: a picture of 4K takes some 10 ms.
//	Errors:       spool.ErrShape where the sink is not made for the frame.
func (f *Frame) PushPlanes(c *call.Call, planes unsafe.Pointer) error {
	if f.frame == nil {
		return closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.pushed(c, C.spool_av_frame_push(f.frame.UnsafePointer(), (*C.spool_planes)(planes)))
}

// pushed is the error of a call that fed a sink.
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

// Clear gives up the planes of a frame that is to be received again.
func (f *Frame) Clear() {
	if f.frame != nil {
		f.frame.Unref()
	}
}

// Release gives up the planes. A second Release does nothing.
func (f *Frame) Release() {
	if f.frame != nil {
		f.cleanup.Stop()
		release(heldFrame{f.frame})
		f.frame = nil
	}
}
