package webp

/*
#include <webp/decode.h>
#include "webp.h"
*/
import "C"

import (
	"bytes"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const library = "libwebp"

// Version returns the version of the library's decoder.
func Version() string {
	v := int(C.WebPGetDecoderVersion())
	return fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xff, v&0xff)
}

// signature reports whether data may be the beginning of a WebP file. Data shorter than the signature are compared with
// its beginning.
func signature(data []byte) bool {
	riff, name := []byte("RIFF"), []byte("WEBP")
	if len(data) <= 8 {
		return bytes.HasPrefix(data, riff[:min(len(data), 4)])
	}
	return bytes.HasPrefix(data, riff) && bytes.HasPrefix(data[8:], name[:min(len(data)-8, 4)])
}

func empty(op string) error {
	return &spool.Error{Op: op, Class: spool.ErrEmpty, Text: "no data"}
}

// texts describe libwebp's status codes, for which the library has no texts.
var texts = map[C.int32_t]string{
	C.VP8_STATUS_OUT_OF_MEMORY:       "out of memory",
	C.VP8_STATUS_INVALID_PARAM:       "invalid parameter",
	C.VP8_STATUS_BITSTREAM_ERROR:     "bitstream error",
	C.VP8_STATUS_UNSUPPORTED_FEATURE: "unsupported feature",
	C.VP8_STATUS_USER_ABORT:          "decoding failed",
	C.VP8_STATUS_NOT_ENOUGH_DATA:     "the data end within the header",
}

// libraryError returns the error for a status code of the library.
func libraryError(op string, code C.int32_t) error {
	e := &spool.Error{Op: op, Class: spool.ErrCorrupt, Lib: library, Code: int(code), Text: texts[code]}
	switch code {
	case C.VP8_STATUS_OUT_OF_MEMORY:
		return fmt.Errorf("%w: webp: %w", spool.ErrOutOfMemory, e)
	case C.VP8_STATUS_INVALID_PARAM:
		return fmt.Errorf("%w: webp: %w", spool.ErrInternal, e)
	case C.VP8_STATUS_UNSUPPORTED_FEATURE:
		e.Class = spool.ErrUnsupported
	case C.VP8_STATUS_SUSPENDED, C.VP8_STATUS_NOT_ENOUGH_DATA:
		e.Class = spool.ErrTruncated
	}
	return e
}

func headerFailure(data []byte, r *C.spool_webp_report) error {
	if !signature(data) {
		return &spool.Error{Op: "probe", Class: spool.ErrNotMedia, Lib: library, Code: int(r.code), Text: "no WebP file"}
	}
	return libraryError("probe", r.code)
}

// failure returns the error of a decode whose status is not OK.
func failure(c *call.Call, h Header, status C.int, r *C.spool_webp_report) error {
	switch status {
	case C.SPOOL_CANCELLED:
		err := c.Err()
		return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	case C.SPOOL_WEBP_FAILED:
		return libraryError("decode", r.code)
	case C.SPOOL_WEBP_ENDED:
		e := &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Code: int(r.code)}
		where := "the image ends"
		if h.truncated {
			e.Class, where = spool.ErrTruncated, "the data end"
		}
		e.Text = fmt.Sprintf("%s with %d of %d rows decoded", where, r.read, h.Height)
		return e
	case C.SPOOL_WEBP_SHAPE:
		return fmt.Errorf("%w: an image of %dx%d does not match the sink", spool.ErrShape, h.Width, h.Height)
	case C.SPOOL_WEBP_MEMORY:
		return fmt.Errorf("%w: webp: rows of %dx%d", spool.ErrOutOfMemory, h.Width, h.Height)
	}
	return internal(status)
}

// frameFailure returns the error of a frame whose status is not OK. The library gives no further details.
func frameFailure(c *call.Call, h Header, frame int, status C.int, r *C.spool_webp_report) error {
	if status == C.SPOOL_WEBP_FAILED {
		text := fmt.Sprintf("frame %d of %d cannot be decoded", frame, h.Frames)
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: text}
	}
	return failure(c, h, status, r)
}

func internal(status C.int) error {
	return fmt.Errorf("%w: webp: the sink failed (status %d)", spool.ErrInternal, status)
}
