package av

/*
#include "pixelformat.h"
*/
import "C"

import "github.com/asticode/go-astiav"

// PixelFormat is FFmpeg's number for how pixels are stored; it may differ between releases.
type PixelFormat int32

// String is its name, "yuv420p".
func (f PixelFormat) String() string { return astiav.PixelFormat(f).Name() }

// Planes says how the samples of a pixel format lie.
type Planes struct {
	Depth      int  // bits of a sample; those of more than 8 are words in the machine's byte order
	Gray       bool // there is luma alone
	SubX, SubY int  // samples of luma to one of chroma; 1 where there is none
	Paired     bool // chroma is one plane of U and V in turn, as in NV12
	Swapped    bool // of V and U, as in NV21
	High       bool // the bits are the high ones of their words, as in P010
}

// Depth is the bits of the deepest component; 0 of formats that are not known, or of a device.
func (f PixelFormat) Depth() int { return int(f.describe().depth) }

// Planes says how the samples lie, where luma and chroma have planes of their own: not in RGB, packed formats, those of
// the other byte order, and those with alpha.
func (f PixelFormat) Planes() (Planes, bool) {
	d := f.describe()
	return Planes{Depth: int(d.depth), Gray: d.components == 1, SubX: int(d.sub_x), SubY: int(d.sub_y),
		Paired: d.paired != 0, Swapped: d.paired == 2, High: d.shift != 0}, d.planar != 0
}

// Full reports whether the conversion to RGB takes samples with a Color.Range for those of full range. Where a frame
// has none, yuvj formats and gray are full. Of such a format FFmpeg 5 and 6 follow a frame that has a range, 7 does not.
func (f PixelFormat) Full(r int32) bool { return C.spool_av_is_full(C.int(f), C.int(r)) != 0 }

func (f PixelFormat) describe() (d C.spool_av_pixel_format) {
	C.spool_av_pixel_format_describe(C.int(f), &d)
	return d
}
