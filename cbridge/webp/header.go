package webp

/*
#cgo pkg-config: libwebp libwebpdemux
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo noescape spool_webp_read_header
#cgo nocallback spool_webp_read_header
#include "webp.h"
*/
import "C"

import "unsafe"

// Header describes an image without its pixels.
type Header struct {
	Width, Height int  // of the canvas, at most 16384
	Alpha         bool // pixels have alpha; in an animation, those of some frames may
	Lossless      bool // of a still image; false for an animation
	Animated      bool
	Frames        int // 1 for a still image; for a truncated animation, the frames that were found
	Loops         int // how often to show an animation; 0: forever

	// Payloads of chunks, which alias the data; nil if there is none. The profile applies to the RGB pixels; EXIF begins
	// with its byte order.
	ICC, EXIF []byte

	truncated bool  // the declared file size exceeds the data
	chunks    int64 // in an extended file
}

// ReadHeader reads the header, and in an extended file all chunks. The chunks in the Header alias data, which are
// borrowed. It makes one C call, which usually takes microseconds, and decodes nothing.
//
// Errors are a *spool.Error of class empty, not-media, truncated, corrupt or unsupported.
func ReadHeader(data []byte) (Header, error) {
	if len(data) == 0 {
		return Header{}, empty("probe")
	}
	var h C.spool_webp_header
	var r C.spool_webp_report
	if status := C.spool_webp_read_header(bytesOf(data), C.size_t(len(data)), &h, &r); status != C.SPOOL_WEBP_OK {
		return Header{}, headerFailure(data, &r)
	}
	return Header{
		Width:     int(h.width),
		Height:    int(h.height),
		Alpha:     h.alpha != 0,
		Lossless:  h.lossless != 0,
		Animated:  h.animated != 0,
		Frames:    int(h.frames),
		Loops:     int(h.loops),
		ICC:       payload(data, h.icc),
		EXIF:      payload(data, h.exif),
		truncated: h.truncated != 0,
		chunks:    int64(h.chunks),
	}, nil
}

// payload returns a chunk's payload, nil for none.
func payload(data []byte, chunk C.spool_webp_chunk) []byte {
	if chunk.size == 0 {
		return nil
	}
	return data[chunk.at : chunk.at+chunk.size : chunk.at+chunk.size]
}

// Memory returns the most bytes that decoding takes without the sink's memory: the rows, and libwebp's own memory. It
// does not include the Huffman codes of a lossless image, whose number no header declares. These usually take less than
// 1 MB. A malicious file may need 20 kB for each group of codes, with one group for 16 pixels and up to 65536 groups.
func (h Header) Memory() int64 {
	pixels := int64(h.Width) * int64(h.Height)
	rows := int64(h.Width) * 128 // a row of macroblocks with neighbors and filter, or lossless rows
	const tables = 1 << 20       // Huffman codes, color cache
	switch {
	case h.Animated:
		const demuxed = 256                                        // kept by the demuxer for each chunk or frame
		return (4+4+4+4)*pixels + rows + tables + demuxed*h.chunks // two canvases, a frame, its lossless pixels
	case h.Lossless:
		return (4+4)*pixels + rows + tables // the library's pixels, and ours
	case h.Alpha:
		return (4+4+1)*pixels + rows + tables // alpha is a separate lossless image
	}
	return 3*pixels + rows + tables
}

// bytesOf returns the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
