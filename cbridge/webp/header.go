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

// Header is what a file says of its picture.
type Header struct {
	Width, Height int  // of the canvas, at most 16384
	Alpha         bool // pixels have alpha; of an animation those of some frame may
	Lossless      bool // the still picture is; false of an animation
	Animated      bool
	Frames        int // 1 of a still picture; of a truncated animation those that were found
	Loops         int // how often an animation is to be shown; 0: without end

	// Payloads of chunks, parts of the data that were read; nil where there is none. The profile applies to the
	// RGB pixels; EXIF begins with its byte order.
	ICC, EXIF []byte

	cut    bool  // the file says that it is longer than the data
	chunks int64 // of an extended file
}

// ReadHeader reads what comes before the pixels, and of a file with more than pixels finds all chunks. Data are
// lent, and Header's chunks lie in them. It costs one C call, microseconds as a rule, and decodes
// nothing.
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
		Width:    int(h.width),
		Height:   int(h.height),
		Alpha:    h.alpha != 0,
		Lossless: h.lossless != 0,
		Animated: h.animated != 0,
		Frames:   int(h.frames),
		Loops:    int(h.loops),
		ICC:      part(data, h.icc),
		EXIF:     part(data, h.exif),
		cut:      h.cut != 0,
		chunks:   int64(h.chunks),
	}, nil
}

// part is a chunk's payload, nil for none.
func part(data []byte, chunk C.spool_webp_chunk) []byte {
	if chunk.size == 0 {
		return nil
	}
	return data[chunk.at : chunk.at+chunk.size : chunk.at+chunk.size]
}

// Memory is what decoding takes at most, in bytes, beside the sink's: the rows, and what libwebp keeps. It
// leaves out the Huffman codes of a lossless picture, which no header tells of: usually less than 1 MB, but up to
// 20 kB for each 16 pixels and 65536 groups of them in a file that was made to take memory.
func (h Header) Memory() int64 {
	pixels := int64(h.Width) * int64(h.Height)
	rows := int64(h.Width) * 128 // a row of macroblocks, its neighbours and their filter, or lossless rows
	const tables = 1 << 20       // Huffman codes, colour cache
	switch {
	case h.Animated:
		const demuxed = 256                                        // what the demuxer keeps of a chunk or a frame
		return (4+4+4+4)*pixels + rows + tables + demuxed*h.chunks // two canvases, a frame, its lossless pixels
	case h.Lossless:
		return (4+4)*pixels + rows + tables // its pixels, and ours
	case h.Alpha:
		return (4+4+1)*pixels + rows + tables // alpha is a lossless picture of its own
	}
	return 3*pixels + rows + tables
}

// bytesOf is the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
