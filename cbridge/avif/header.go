package avif

/*
#include "avif.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// Header describes an image or sequence, as stored in the file.
type Header struct {
	Width, Height int
	Bits          int // of the samples: 8, 10 or 12
	Gray          bool
	Alpha         bool
	Frames        int           // of a sequence; 1 for an image
	Duration      time.Duration // of a sequence
	Orientation   int           // as EXIF's 1 to 8, from the file's rotation and mirroring
	ICC, EXIF     []byte        // nil if absent; ignore the orientation in EXIF

	planeBytes int64 // of a frame
}

// Channels returns the number of channels of the rows: 4 with alpha, otherwise 3.
func (h Header) Channels() int {
	if h.Alpha {
		return 4
	}
	return 3
}

// Memory returns the approximate maximum memory of a Decoder in bytes. It counts the planes and dav1d's memory,
// measured as 1.25 to 1.5 of the planes (dav1d 1.0), and the reference frames of a sequence.
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
	halves := int64(3) // half samples per pixel
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

// orientation returns the EXIF orientation of a rotation by quarter turns counterclockwise, followed by mirroring: -1
// none, 0 top to bottom, 1 left to right.
func orientation(rotation, mirror int) int {
	return [3][4]int{{1, 8, 3, 6}, {4, 5, 2, 7}, {2, 7, 4, 5}}[mirror+1][rotation&3]
}

func copyOf(p *C.uint8_t, n C.size_t) []byte {
	if n == 0 {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(p), C.int(n))
}
