package av

/*
#include "pixelformat.h"
*/
import "C"

import "github.com/asticode/go-astiav"

// PixelFormat is FFmpeg's number of a pixel format. It can differ between releases.
type PixelFormat int32

// String returns the format's name, such as "yuv420p".
func (f PixelFormat) String() string { return astiav.PixelFormat(f).Name() }

// Planes describes the planes of a pixel format.
type Planes struct {
	Depth      int  // bits of a sample; more than 8 are stored in words of the machine's byte order
	Gray       bool // there is only luma
	SubX, SubY int  // luma samples per chroma sample; 1 without chroma
	Paired     bool // chroma is one plane of alternating U and V, as in NV12
	Swapped    bool // alternating V and U, as in NV21
	High       bool // samples are the high bits of their words, as in P010
}

// Depth returns the bits of the deepest component, or 0 for unknown formats and formats of a device.
func (f PixelFormat) Depth() int { return int(f.describe().depth) }

// Planes describes the format's planes. It returns false unless luma and chroma have separate planes: for RGB, packed
// formats, the other byte order, and formats with alpha.
func (f PixelFormat) Planes() (Planes, bool) {
	d := f.describe()
	return Planes{Depth: int(d.depth), Gray: d.components == 1, SubX: int(d.sub_x), SubY: int(d.sub_y),
		Paired: d.paired != 0, Swapped: d.paired == 2, High: d.shift != 0}, d.planar != 0
}

// Full reports whether the conversion to RGB treats samples with a Color.Range as full range. Without a range, yuvj
// formats and gray are full. If a frame of such a format has a range, FFmpeg 5 and 6 use it, and 7 does not.
func (f PixelFormat) Full(r int32) bool { return C.spool_av_is_full(C.int(f), C.int(r)) != 0 }

func (f PixelFormat) describe() (d C.spool_av_pixel_format) {
	C.spool_av_pixel_format_describe(C.int(f), &d)
	return d
}
