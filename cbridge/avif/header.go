package avif

/*
#include "avif.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// Header is what a file says of its pictures.
type Header struct {
	Width, Height int
	Bits          int // of the samples: 8, 10 or 12
	Gray          bool
	Alpha         bool
	Frames        int           // of a sequence; 1 of a picture
	Duration      time.Duration // of a sequence
	Orientation   int           // EXIF's 1 to 8, out of the file's rotation and mirroring
	ICC, EXIF     []byte        // nil where there is none; an orientation in EXIF means nothing here

	planeBytes int64 // of a frame
}

// Channels is that of the rows: 4 with alpha, else 3.
func (h Header) Channels() int {
	if h.Alpha {
		return 4
	}
	return 3
}

// Memory is about what a Decoder takes at most, in bytes: planes and what dav1d needs for them, measured
// as 1.25 to 1.5 of the planes (dav1d 1.0), and the frames that others of a sequence refer to.
func (h Header) Memory() int64 {
	const small, references = 4 << 20, 8
	n := h.planeBytes*3/2 + small
	if h.Frames > 1 {
		n += h.planeBytes * references
	}
	return n
}

func headerOf(h *C.spool_avif_header) Header {
	header := Header{
		Width: int(h.width), Height: int(h.height), Bits: int(h.bits), Gray: h.format == C.AVIF_PIXEL_FORMAT_YUV400,
		Alpha: h.alpha != 0, Frames: int(h.frames), Duration: seconds(float64(h.duration)),
		Orientation: orientation(int(h.rotation), int(h.mirror)),
		ICC:         copyOf(h.icc, h.icc_size), EXIF: copyOf(h.exif, h.exif_size),
	}
	halves := int64(3) // of a sample a pixel
	switch h.format {
	case C.AVIF_PIXEL_FORMAT_YUV400:
		halves = 2
	case C.AVIF_PIXEL_FORMAT_YUV422:
		halves = 4
	case C.AVIF_PIXEL_FORMAT_YUV444:
		halves = 6
	}
	if header.Alpha {
		halves += 2
	}
	if header.Bits > 8 {
		halves *= 2
	}
	header.planeBytes = int64(header.Width) * int64(header.Height) * halves / 2
	return header
}

// orientation is what EXIF calls a rotation of quarter turns against the clock, followed by a mirroring
// (-1 none, 0 of top and bottom, 1 of the sides).
func orientation(rotation, mirror int) int {
	return [3][4]int{{1, 8, 3, 6}, {4, 5, 2, 7}, {2, 7, 4, 5}}[mirror+1][rotation&3]
}

func copyOf(p *C.uint8_t, n C.size_t) []byte {
	if n == 0 {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(p), C.int(n))
}
