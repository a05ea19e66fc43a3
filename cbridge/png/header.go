package png

/*
#cgo pkg-config: libdeflate libpng
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo noescape spool_png_read_header
#cgo nocallback spool_png_read_header
#cgo noescape spool_png_inflate_profile
#cgo nocallback spool_png_inflate_profile
#include "spool_png.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Color is how a picture's pixels are stored: the format's colour type.
type Color uint8

const (
	Gray      Color = C.SPOOL_PNG_GRAY
	RGB       Color = C.SPOOL_PNG_RGB
	Palette   Color = C.SPOOL_PNG_PALETTE // colours by number
	GrayAlpha Color = C.SPOOL_PNG_GRAY_ALPHA
	RGBA      Color = C.SPOOL_PNG_RGBA
)

// String is the colour type's usual name.
func (c Color) String() string {
	return [...]string{Gray: "gray", RGB: "RGB", Palette: "palette", GrayAlpha: "gray+alpha", RGBA: "RGBA"}[c]
}

// Header is what a file says before its pixels.
type Header struct {
	Width, Height int
	Color         Color
	Bits          int // of a sample, or of a palette's index: 1, 2, 4, 8 or 16
	Interlaced    bool
	Transparent   bool // a palette with opacities, or a colour that is transparent (tRNS)

	// Frames is 1, or in an animation (APNG) what the file says there are. DefaultImage tells that the
	// first of them is a picture for those who do not know of animations; it is counted, as Pillow does.
	Frames       int
	Animated     bool
	DefaultImage bool

	// EXIF is the contents of the eXIf chunk before the pixels, a part of the data; nil if there is none.
	EXIF []byte

	profile []byte // compressed
}

// Alpha tells whether the picture has opacity, stored or by tRNS.
func (h *Header) Alpha() bool { return h.Transparent || h.Color == GrayAlpha || h.Color == RGBA }

// Channels is the number of channels as stored, those of its colours where there is a palette.
func (h *Header) Channels() int {
	n := 3
	if h.Color == Gray || h.Color == GrayAlpha {
		n = 1
	}
	if h.Alpha() {
		n++
	}
	return n
}

// Memory is what Decode needs beside the rows, at least: a few rows, or an interlaced picture as a whole.
// With more it is faster (Options.MaxMemory).
func (h *Header) Memory() int64 {
	const state = 128 << 10 // of libpng and zlib
	row := (int64(h.Width)*int64(h.Bits)*4 + 7) / 8
	if h.Interlaced {
		return row*int64(h.Height+4) + state
	}
	return row*4 + state
}

// CanvasMemory is what an open Animation holds: the canvas, and what it was before a frame that does not last.
func (h *Header) CanvasMemory() int64 {
	channels := int64(h.Channels())
	if h.Alpha() {
		channels = 4
	}
	return 2*int64(h.Width)*int64(h.Height)*channels + canvasState
}

// ReadHeader reads all chunks before the first one of pixels. Data are lent, and the header keeps parts of
// them. It costs one C call of a few microseconds.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported (an unknown critical chunk)
// or corrupt. Other chunks that are damaged are left aside.
func ReadHeader(data []byte) (Header, error) {
	if err := sniff("probe", data); err != nil {
		return Header{}, err
	}
	h, r, status := readHeader(data)
	if status != C.SPOOL_PNG_OK {
		return Header{}, failure("probe", status, &r)
	}
	header := Header{
		Width:       int(h.width),
		Height:      int(h.height),
		Color:       Color(h.color),
		Bits:        int(h.depth),
		Interlaced:  h.interlaced != 0,
		Transparent: h.transparent != 0,
		Frames:      1,
	}
	if h.frames > 0 {
		header.DefaultImage = h.default_image != 0
		header.Frames = int(h.frames)
		if header.DefaultImage {
			header.Frames++
		}
		header.Animated = header.Frames > 1
	}
	if h.exif_length > 0 {
		header.EXIF = data[h.exif:][:h.exif_length]
	}
	if h.profile_length > 0 {
		header.profile = data[h.profile:][:h.profile_length]
	}
	return header, nil
}

func readHeader(data []byte) (h C.spool_png_header, r C.spool_png_report, status C.int) {
	status = C.spool_png_read_header(bytesOf(data), C.size_t(len(data)), &h, &r)
	return h, r, status
}

// maxProfile bounds an inflated ICC profile: the largest in use, those of printers, have a few megabytes.
const maxProfile = 16 << 20

// Profile inflates the picture's ICC profile, nil if there is none, or none that can be read. The slice is
// the caller's. It costs one C call for most profiles.
func (h *Header) Profile() []byte {
	name := 0
	for name < len(h.profile) && h.profile[name] != 0 {
		name++
	}
	if name == 0 || name > 79 || name+2 >= len(h.profile) || h.profile[name+1] != 0 { // method 0: zlib
		return nil
	}
	compressed := h.profile[name+2:]
	for size := 4 << 10; ; size *= 8 {
		profile := make([]byte, min(size, maxProfile))
		var length C.size_t
		status := C.spool_png_inflate_profile(bytesOf(compressed), C.size_t(len(compressed)),
			bytesOf(profile), C.size_t(len(profile)), &length)
		switch {
		case status != C.SPOOL_PNG_OK || length == 0:
			return nil
		case int(length) <= len(profile):
			return profile[:length]
		case size >= maxProfile:
			return nil
		}
	}
}

// bytesOf is the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// sniff refuses what is not worth a call.
func sniff(op string, data []byte) error {
	if len(data) == 0 {
		return &spool.Error{Op: op, Class: spool.ErrEmpty, Text: "no data"}
	}
	return nil
}
