package jpeg

/*
#cgo noescape spool_jpeg_encode
#cgo nocallback spool_jpeg_encode
#include <stdlib.h>
#include "encode.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// MaxEdge is the greatest width and height that libjpeg-turbo encodes.
const MaxEdge = 65500

// EncodeOptions are the options of Encode.
type EncodeOptions struct {
	Quality      int // 1 to 100, in libjpeg's scale; 0: 75
	Across, Down int // luma samples for each chroma sample, 1 or 2 in each direction; 0: 2
	Progressive  bool
	Optimize     bool // optimized Huffman tables: a smaller file in twice the time
}

// Encode encodes an image of 1 channel (gray), 3 (RGB) or 4 (RGBA, whose alpha is dropped), with rows without gaps.
//
// Pixels are borrowed, and the caller owns the file. The call stops within 64 rows when c's context ends. Errors:
// too-large above MaxEdge, canceled, timeout; spool.ErrOptions, spool.ErrShape.
func Encode(c *call.Call, pixels []byte, width, height, channels int, o EncodeOptions) ([]byte, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if width > MaxEdge || height > MaxEdge {
		return nil, &spool.Error{Op: "encode", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("%dx%d: the largest edge of a JPEG is %d", width, height, MaxEdge)}
	}
	if width < 1 || height < 1 || channels != 1 && channels != 3 && channels != 4 || len(pixels) != width*height*channels {
		return nil, fmt.Errorf("%w: jpeg: %d bytes as %dx%d of %d channels", spool.ErrShape, len(pixels), width, height,
			channels)
	}
	e := C.spool_jpeg_encoding{width: C.int32_t(width), height: C.int32_t(height), channels: C.int32_t(channels),
		quality: C.int32_t(or(o.Quality, 75)), across: C.int32_t(or(o.Across, 2)), down: C.int32_t(or(o.Down, 2)),
		progressive: flagOf(o.Progressive), optimize: flagOf(o.Optimize)}
	var file *C.uint8_t
	var size C.size_t
	var r C.spool_jpeg_report
	status := C.spool_jpeg_encode((*C.uint8_t)(unsafe.SliceData(pixels)), &e, (*C.int32_t)(c.Flag()), &file, &size, &r)
	defer C.free(unsafe.Pointer(file))
	switch status {
	case C.SPOOL_JPEG_OK:
		return C.GoBytes(unsafe.Pointer(file), C.int(min(size, math.MaxInt32))), nil
	case C.SPOOL_CANCELLED:
		err := c.Err()
		return nil, &spool.Error{Op: "encode", Class: spool.ClassOf(err), Err: err}
	}
	return nil, &spool.Error{Op: "encode", Class: classOf(r.code), Lib: library, Code: int(r.code),
		Text: C.GoString(&r.text[0])}
}

func (o *EncodeOptions) validate() error {
	var bad invalid.Options
	if o.Quality < 0 || o.Quality > 100 {
		bad.Addf("jpeg: a quality of %d", o.Quality)
	}
	if o.Across < 0 || o.Across > 2 || o.Down < 0 || o.Down > 2 {
		bad.Addf("jpeg: chroma of %dx%d samples", o.Across, o.Down)
	}
	return bad.Err()
}

func or(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}

func flagOf(set bool) C.int32_t {
	if set {
		return 1
	}
	return 0
}
