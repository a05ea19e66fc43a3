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

// CopyPlanes writes the frame's planes one after the other, without gaps: luma, then U and V, or, as pairs, one plane of U and V
// in turn. Samples of more than 8 bits are words of the machine's byte order: their low bits as in FFmpeg's yuv420p10,
// of pairs the high ones as in P010. A gray frame has luma alone.
//
//	Ownership:    dst is lent.
//	Cancellation: before the frame only.
//	Errors:       spool.ErrShape for a dst of another length (see Planes.Samples), and for formats without Planes.
func (f *Frame) CopyPlanes(c *call.Call, dst []byte, pairs bool) error {
	if f.frame == nil {
		return closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(f)
	return f.pushed(c, C.spool_av_frame_planes(f.frame.UnsafePointer(), boolean(pairs), (*C.uint8_t)(unsafe.SliceData(dst)), C.size_t(len(dst))))
}

func boolean(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// Samples is how many there are in the planes of a picture.
func (p Planes) Samples(width, height int) int {
	if p.Gray {
		return width * height
	}
	return width*height + 2*((width+p.SubX-1)/p.SubX)*((height+p.SubY-1)/p.SubY)
}

// FormatNamed is the pixel format of FFmpeg's name; false for one that this FFmpeg does not know.
func FormatNamed(name string) (PixelFormat, bool) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	f := C.spool_av_pixel_format_named(text)
	return PixelFormat(f), f >= 0
}
