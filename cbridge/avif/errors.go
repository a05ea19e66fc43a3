package avif

/*
#include "avif.h"
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const library = "libavif"

// Version returns the version of libavif.
func Version() string { return C.GoString(C.avifVersion()) }

// classOf returns the class of a libavif result. Results that are not listed are corrupt.
func classOf(code C.int32_t) spool.Class {
	switch code {
	case C.AVIF_RESULT_INVALID_FTYP:
		return spool.ErrNotMedia
	case C.AVIF_RESULT_TRUNCATED_DATA, C.AVIF_RESULT_NO_CONTENT, C.AVIF_RESULT_WAITING_ON_IO:
		return spool.ErrTruncated
	case C.AVIF_RESULT_UNSUPPORTED_DEPTH, C.AVIF_RESULT_NO_CODEC_AVAILABLE, C.AVIF_RESULT_NOT_IMPLEMENTED,
		C.AVIF_RESULT_REFORMAT_FAILED: // an unsupported matrix
		return spool.ErrUnsupported
	case C.AVIF_RESULT_NO_IMAGES_REMAINING:
		return spool.ErrNoSuchFrame
	case C.AVIF_RESULT_OUT_OF_MEMORY:
		return spool.ErrTooLarge
	}
	return spool.ErrCorrupt
}

// failure returns the error of a call that failed.
func failure(op string, status C.int, r *C.spool_avif_report) error {
	if status != C.SPOOL_AVIF_FAILED {
		return fmt.Errorf("%w: avif: the sink failed (status %d)", spool.ErrInternal, status)
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(&r.text[0])), len(r.text))
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return &spool.Error{Op: op, Class: classOf(r.code), Lib: library, Code: int(r.code), Text: string(text)}
}

func empty() error {
	return &spool.Error{Op: "probe", Class: spool.ErrEmpty, Text: "no data"}
}

func cancelled(c *call.Call) error {
	err := c.Err()
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
}

// oversized returns an error if the file has an image of more than MaxPixels pixels. libavif reports such a file as
// malformed.
func oversized(data []byte) error {
	spatialExtents := []byte("\x00\x00\x00\x14ispe\x00\x00\x00\x00") // the box's size, name, version and flags
	for {
		at := bytes.Index(data, spatialExtents)
		if at < 0 || len(data)-at < len(spatialExtents)+8 {
			return nil
		}
		data = data[at+len(spatialExtents):]
		w, h := uint64(binary.BigEndian.Uint32(data)), uint64(binary.BigEndian.Uint32(data[4:]))
		if w*h > MaxPixels {
			return &spool.Error{Op: "probe", Class: spool.ErrTooLarge,
				Text: fmt.Sprintf("%dx%d pixels exceed libavif's limit of %d", w, h, MaxPixels)}
		}
	}
}
