package png

/*
#cgo pkg-config: libdeflate libpng
#cgo CFLAGS: -O3 -g1 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
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

// Color is the color type of the format.
type Color uint8

const (
	Gray      Color = C.SPOOL_PNG_GRAY
	RGB       Color = C.SPOOL_PNG_RGB
	Palette   Color = C.SPOOL_PNG_PALETTE // colors by index
	GrayAlpha Color = C.SPOOL_PNG_GRAY_ALPHA
	RGBA      Color = C.SPOOL_PNG_RGBA
)

// String returns the usual name of the color type.
func (c Color) String() string {
	return [...]string{Gray: "gray", RGB: "RGB", Palette: "palette", GrayAlpha: "gray+alpha", RGBA: "RGBA"}[c]
}

// Header describes an image without its pixels.
type Header struct {
	Width, Height int
	Color         Color
	Bits          int // of a sample, or of a palette's index: 1, 2, 4, 8 or 16
	Interlaced    bool
	Transparent   bool // a palette with alpha, or a transparent color (tRNS)

	// Frames is 1, or the number of frames that an animation (APNG) declares. If DefaultImage is set, the first of them is
	// an image for decoders without animation support. It is counted, as in Pillow.
	Frames       int
	Animated     bool
	DefaultImage bool

	// EXIF is the contents of the eXIf chunk before the pixels. It aliases the data; nil if there is none.
	EXIF []byte

	profile []byte // compressed
}

// Alpha reports whether the image has alpha, stored or by tRNS.
func (h *Header) Alpha() bool { return h.Transparent || h.Color == GrayAlpha || h.Color == RGBA }

// Channels returns the number of channels as stored, or of the palette's colors.
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

// Memory returns the least memory that Decode needs besides the rows: a few rows, or all of an interlaced image. With
// more memory it is faster (Options.MaxMemory).
func (h *Header) Memory() int64 {
	const state = 128 << 10 // of libpng and zlib
	row := (int64(h.Width)*int64(h.Bits)*4 + 7) / 8
	if h.Interlaced {
		return row*int64(h.Height+4) + state
	}
	return row*4 + state
}

// CanvasMemory returns the memory of an open Animation: the canvas, and its earlier state for frames that are reverted.
func (h *Header) CanvasMemory() int64 {
	channels := int64(h.Channels())
	if h.Alpha() {
		channels = 4
	}
	return 2*int64(h.Width)*int64(h.Height)*channels + canvasState
}

// ReadHeader reads all chunks before the first chunk of pixels. The Header refers to parts of data, which must not
// change while it is in use. ReadHeader makes one C call of a few microseconds.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported (an unknown critical chunk) or corrupt.
// Other damaged chunks are ignored.
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

// Profile returns the inflated ICC profile of the image, nil if there is none or if it is damaged. The caller owns the
// slice. It makes one C call for most profiles.
func (h *Header) Profile() []byte {
	name := 0
	for name < len(h.profile) && h.profile[name] != 0 {
		name++
	}
	if name == 0 || name > 79 || name+2 >= len(h.profile) || h.profile[name+1] != 0 { // compression method 0: zlib
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

// bytesOf returns the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// sniff refuses data without a PNG signature, before any C call.
func sniff(op string, data []byte) error {
	if len(data) == 0 {
		return &spool.Error{Op: op, Class: spool.ErrEmpty, Text: "no data"}
	}
	return nil
}
