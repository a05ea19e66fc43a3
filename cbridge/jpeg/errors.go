package jpeg

/*
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>
#include "jpeg.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const library = "libjpeg-turbo"

// Version returns the version of the headers with which this package was built.
func Version() string {
	const n = C.LIBJPEG_TURBO_VERSION_NUMBER
	return fmt.Sprintf("%d.%d.%d", n/1_000_000, n/1000%1000, n%1000)
}

// classOf returns the class of libjpeg's error codes. Codes that are not listed mean a violation of the format.
func classOf(code C.int32_t) spool.Class {
	switch code {
	case C.JERR_NO_SOI:
		return spool.ErrNotMedia
	case C.JERR_INPUT_EMPTY, C.JERR_INPUT_EOF:
		return spool.ErrTruncated
	case C.JERR_ARITH_NOTIMPL, C.JERR_BAD_PRECISION, C.JERR_CCIR601_NOTIMPL, C.JERR_CONVERSION_NOTIMPL,
		C.JERR_EMPTY_IMAGE, // height 0: the actual height follows the first scan (DNL)
		C.JERR_FRACT_SAMPLE_NOTIMPL, C.JERR_NOTIMPL, C.JERR_NOT_COMPILED, C.JERR_SOF_UNSUPPORTED:
		return spool.ErrUnsupported
	case C.JERR_IMAGE_TOO_BIG, C.JERR_WIDTH_OVERFLOW, C.JERR_OUT_OF_MEMORY,
		C.JERR_NO_BACKING_STORE: // above max_memory_to_use
		return spool.ErrTooLarge
	}
	return spool.ErrCorrupt
}

// isBug reports whether a code is caused only by incorrect use of the library.
func isBug(code C.int32_t) bool {
	switch code {
	case C.JERR_BAD_LIB_VERSION, C.JERR_BAD_STRUCT_SIZE, C.JERR_BAD_STATE:
		return true
	}
	return false
}

// sniff refuses data that are too short for libjpeg.
func sniff(op string, data []byte) error {
	switch len(data) {
	case 0:
		return &spool.Error{Op: op, Class: spool.ErrEmpty, Text: "no data"}
	case 1:
		return &spool.Error{Op: op, Class: spool.ErrNotMedia, Text: "a single byte"}
	}
	return nil
}

func cancelled(c *call.Call) error {
	err := c.Err()
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
}

// failure returns the error of a call whose status is not OK.
func failure(op string, status C.int, r *C.spool_jpeg_report) error {
	e := &spool.Error{Op: op, Lib: library, Code: int(r.code)}
	switch status {
	case C.SPOOL_JPEG_FAILED:
		e.Class, e.Text = classOf(r.code), textOf(&r.text)
		if isBug(r.code) {
			return fmt.Errorf("%w: %w", spool.ErrInternal, e)
		}
	case C.SPOOL_JPEG_TRUNCATED:
		e.Class, e.Text = spool.ErrTruncated, premature(r)
	case C.SPOOL_JPEG_SCANS:
		return &spool.Error{Op: op, Class: spool.ErrTooLarge, Text: fmt.Sprintf("more than %d scans", maxScans)}
	case C.SPOOL_JPEG_SHAPE:
		return fmt.Errorf("%w: an image of %dx%d does not fit the destination", spool.ErrShape, r.width, r.height)
	default:
		return fmt.Errorf("%w: jpeg: the sink failed, or the library makes no progress (status %d)", spool.ErrInternal,
			status)
	}
	return e
}

// textOf copies a text from C. C.GoString would make the report escape to the heap.
func textOf(t *[C.SPOOL_JPEG_TEXT]C.char) string {
	text := (*[C.SPOOL_JPEG_TEXT]byte)(unsafe.Pointer(t))[:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return string(text)
}

// premature describes where the data ended.
func premature(r *C.spool_jpeg_report) string {
	if r.scan == 0 {
		return "the data end within the header"
	}
	return fmt.Sprintf("the data end in scan %d with %.1f %% of the image read", r.scan, 100*float64(r.fraction))
}
