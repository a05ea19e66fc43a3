package av

/*
#include <stdlib.h>
#include "av.h"
#include "raster.h"
#include "pixelformat.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
)

// CopyPlanes copies the frame's planes to dst one after another, without gaps: luma, then U and V, or with pairs one
// plane of alternating U and V. Samples of more than 8 bits are words in the machine's byte order. They use the low
// bits, as FFmpeg's yuv420p10, or with pairs the high bits, as P010. A gray frame has only luma.
//
//   - Ownership: dst is borrowed for the call.
//   - Cancellation: only before the frame.
//   - Errors: spool.ErrShape if dst has another length (see Planes.Samples), or for formats without Planes.
func (f *Frame) CopyPlanes(c *call.Call, dst []byte, pairs bool) error {
	defer c.Part("spool kernel: copy planes", c.Begin())
	if f.frame == nil {
		return closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.pushed(c, C.spool_av_frame_planes(f.frame.UnsafePointer(), boolean(pairs),
		(*C.uint8_t)(unsafe.SliceData(dst)), C.size_t(len(dst))))
}

func boolean(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// Samples returns the number of samples in the planes of an image.
func (p Planes) Samples(width, height int) int {
	if p.Gray {
		return width * height
	}
	return width*height + 2*((width+p.SubX-1)/p.SubX)*((height+p.SubY-1)/p.SubY)
}

// FormatNamed returns the pixel format with FFmpeg's name. It returns false for a name that this FFmpeg does not have.
func FormatNamed(name string) (PixelFormat, bool) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	f := C.spool_av_pixel_format_named(text)
	return PixelFormat(f), f >= 0
}
