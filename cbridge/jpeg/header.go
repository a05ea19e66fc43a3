package jpeg

/*
#cgo pkg-config: libjpeg
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo noescape spool_jpeg_read_header
#cgo nocallback spool_jpeg_read_header
#include <stdio.h>
#include <jpeglib.h>
#include "jpeg.h"
*/
import "C"

import "unsafe"

// Space is the color space of the stored pixels.
type Space uint8

const (
	SpaceUnknown Space = iota // cannot be converted; Decode refuses it as unsupported
	SpaceGray
	SpaceRGB
	SpaceYCbCr
	SpaceCMYK // four inks, inverted
	SpaceYCCK // the same, with the first three as YCbCr
)

// String returns the usual name of the space.
func (s Space) String() string {
	return [...]string{"unknown", "gray", "RGB", "YCbCr", "CMYK", "YCCK"}[min(s, SpaceYCCK)]
}

// Header is the header of a file.
type Header struct {
	Width, Height int // as stored, each at most 65500
	Components    int // usually 1, 3 or 4
	Space         Space
	Precision     int  // bits of a sample: always 8
	Progressive   bool // several scans, each refining the whole image
	// SubX and SubY are the luma samples for each chroma sample in each direction, 1 or 2, and 1 for gray. They are 0 for
	// images with other factors or components.
	SubX, SubY int
}

// ReadHeader reads the data before the first scan, which it borrows. It makes one C call of a few microseconds for any
// image size, and decodes no pixels.
//
// Errors are a *spool.Error of class empty, not-media, truncated (also if nothing follows a complete header),
// unsupported, corrupt or too-large.
func ReadHeader(data []byte) (Header, error) {
	if err := sniff("probe", data); err != nil {
		return Header{}, err
	}
	var h C.spool_jpeg_header
	var r C.spool_jpeg_report
	status := C.spool_jpeg_read_header(bytesOf(data), C.size_t(len(data)), &h, &r)
	if status != C.SPOOL_JPEG_OK {
		return Header{}, failure("probe", status, &r)
	}
	return Header{
		Width:       int(h.width),
		Height:      int(h.height),
		Components:  int(h.components),
		Space:       spaceOf(h.space),
		Precision:   C.BITS_IN_JSAMPLE,
		Progressive: h.progressive != 0,
		SubX:        int(h.sub_x),
		SubY:        int(h.sub_y),
	}, nil
}

func spaceOf(space C.int32_t) Space {
	switch space {
	case C.JCS_GRAYSCALE:
		return SpaceGray
	case C.JCS_RGB:
		return SpaceRGB
	case C.JCS_YCbCr:
		return SpaceYCbCr
	case C.JCS_CMYK:
		return SpaceCMYK
	case C.JCS_YCCK:
		return SpaceYCCK
	}
	return SpaceUnknown
}

// bytesOf returns the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
