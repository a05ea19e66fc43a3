package webp

/*
#cgo noescape spool_webp_encode
#cgo nocallback spool_webp_encode
#include <webp/encode.h>
#include "encoder.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// MaxEdge is the greatest width and height of a WebP picture.
const MaxEdge = C.WEBP_MAX_DIMENSION

// EncodeOptions say how a picture is encoded.
type EncodeOptions struct {
	Quality  int  // 1 to 100, as libwebp has it; 0: 75. Of a lossless picture how much it is tried to make it small
	Lossless bool // pixels come back as they were, but for the colour of transparent ones
	Method   int  // 1, fast, to 6, small; 0: 4
}

// Encode makes a file of a picture of 3 channels (RGB) or 4 (RGBA, alpha not multiplied in), rows without gaps.
//
// Pixels are lent; the file is the caller's. The call stops within a twentieth of its work when c's context ends. Errors: too-large
// beyond MaxEdge, canceled, timeout; spool.ErrOptions, spool.ErrShape, spool.ErrOutOfMemory.
func Encode(c *call.Call, pixels []byte, width, height, channels int, o EncodeOptions) ([]byte, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if width > MaxEdge || height > MaxEdge {
		return nil, &spool.Error{Op: "encode", Class: spool.ErrTooLarge, Text: fmt.Sprintf("%dx%d, a WebP has %d at most", width, height, MaxEdge)}
	}
	if width < 1 || height < 1 || channels != 3 && channels != 4 || len(pixels) != width*height*channels {
		return nil, fmt.Errorf("%w: webp: %d bytes as %dx%d of %d channels", spool.ErrShape, len(pixels), width, height, channels)
	}
	quality, method := 75, 4
	if o.Quality != 0 {
		quality = o.Quality
	}
	if o.Method != 0 {
		method = o.Method
	}
	lossless := C.int32_t(0)
	if o.Lossless {
		lossless = 1
	}
	var file *C.uint8_t
	var size C.size_t
	var code C.int32_t
	status := C.spool_webp_encode((*C.uint8_t)(unsafe.SliceData(pixels)), C.int32_t(width), C.int32_t(height), C.int32_t(channels),
		C.float(quality), lossless, C.int32_t(method), (*C.int32_t)(c.Flag()), &file, &size, &code)
	defer C.WebPFree(unsafe.Pointer(file))
	switch {
	case status == C.SPOOL_WEBP_ENCODED:
		data := make([]byte, size)
		copy(data, unsafe.Slice((*byte)(file), size))
		return data, nil
	case status == C.SPOOL_CANCELLED:
		err := c.Err()
		return nil, &spool.Error{Op: "encode", Class: spool.ClassOf(err), Err: err}
	case status == C.SPOOL_WEBP_ENCODE_MEMORY, code == C.VP8_ENC_ERROR_OUT_OF_MEMORY, code == C.VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
		return nil, fmt.Errorf("%w: webp: a picture of %dx%d", spool.ErrOutOfMemory, width, height)
	}
	return nil, &spool.Error{Op: "encode", Class: spool.ErrTooLarge, Lib: library, Code: int(code), Text: "the picture does not fit the format"}
}

func (o *EncodeOptions) validate() error {
	var problems []error
	if o.Quality < 0 || o.Quality > 100 {
		problems = append(problems, fmt.Errorf("%w: webp: a quality of %d", spool.ErrOptions, o.Quality))
	}
	if o.Method < 0 || o.Method > 6 {
		problems = append(problems, fmt.Errorf("%w: webp: method %d", spool.ErrOptions, o.Method))
	}
	return errors.Join(problems...)
}
