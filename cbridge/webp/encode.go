package webp

/*
#cgo noescape spool_webp_encode
#cgo nocallback spool_webp_encode
#include <webp/encode.h>
#include "encoder.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// MaxEdge is the largest width and height of a WebP image.
const MaxEdge = C.WEBP_MAX_DIMENSION

// EncodeOptions are the settings of an encoder.
type EncodeOptions struct {
	Quality  int  // 1 to 100, as in libwebp; 0: 75. For a lossless image, the effort to reduce its size
	Lossless bool // pixels are preserved, except for the color of transparent ones
	Method   int  // 1 (fast) to 6 (small); 0: 4
}

// Encode encodes an image of 3 channels (RGB) or 4 (RGBA with straight alpha), with rows without gaps.
//
// Encode borrows pixels; the caller owns the file. When c's context ends, the call stops within a twentieth of its
// work. Errors: too-large beyond MaxEdge, canceled, timeout; spool.ErrOptions, spool.ErrShape, spool.ErrOutOfMemory.
func Encode(c *call.Call, pixels []byte, width, height, channels int, o EncodeOptions) ([]byte, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if width > MaxEdge || height > MaxEdge {
		return nil, &spool.Error{Op: "encode", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("%dx%d, the limit of WebP is %d", width, height, MaxEdge)}
	}
	if width < 1 || height < 1 || channels != 3 && channels != 4 || len(pixels) != width*height*channels {
		return nil, fmt.Errorf("%w: webp: %d bytes as %dx%d of %d channels", spool.ErrShape, len(pixels), width, height,
			channels)
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
	status := C.spool_webp_encode((*C.uint8_t)(unsafe.SliceData(pixels)), C.int32_t(width), C.int32_t(height),
		C.int32_t(channels),
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
	case status == C.SPOOL_WEBP_ENCODE_MEMORY, code == C.VP8_ENC_ERROR_OUT_OF_MEMORY,
		code == C.VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
		return nil, fmt.Errorf("%w: webp: an image of %dx%d", spool.ErrOutOfMemory, width, height)
	}
	return nil, &spool.Error{Op: "encode", Class: spool.ErrTooLarge, Lib: library, Code: int(code),
		Text: "the image exceeds the limits of the format"}
}

func (o *EncodeOptions) validate() error {
	var bad invalid.Options
	if o.Quality < 0 || o.Quality > 100 {
		bad.Addf("webp: a quality of %d", o.Quality)
	}
	if o.Method < 0 || o.Method > 6 {
		bad.Addf("webp: method %d", o.Method)
	}
	return bad.Err()
}
