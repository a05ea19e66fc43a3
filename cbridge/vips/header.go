package vips

// #include <stdlib.h>
// #include "load.h"
import "C"

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Color is the color model of an image's samples.
type Color uint8

// The color models, in the order of load.h.
const (
	Other Color = iota // none of the others, or signed samples, or integers wider than 16 bits
	Gray
	RGB
	CMYK
)

// Header describes an image. Reading it decodes no pixel.
type Header struct {
	Format      Format
	Page        int
	Width       int
	Height      int
	Color       Color  // Other: Decode refuses it
	Alpha       bool   // alpha is stored
	Bits        int    // of a sample, if the loader reports it; else 8 or 16, and 32 for float
	Pages       int    // pages, frames or top-level images in the file; 0: a JPEG XL animation, which Decode refuses
	Orientation int    // EXIF, 1 to 8, as stored; 1 if there is none, or if the decoder applies it itself
	ICC         []byte // the embedded profile, owned by the caller; nil if there is none

	// SubIFD may be set by the caller, together with the Width and Height of that directory. It is a TIFF directory below
	// the page's, counted from 1, which often holds the page at a lower resolution; 0 is the page itself.
	SubIFD int
}

// Channels returns the number of stored channels, alpha included.
func (h Header) Channels() int {
	n := [...]int{Other: 0, Gray: 1, RGB: 3, CMYK: 4}[h.Color]
	if h.Alpha {
		n++
	}
	return n
}

// ReadHeader reads the header of a page of the image in data. Page 0 is the first; in HEIF it is the primary image.
//
//	Ownership:   data is borrowed.
//	Errors:      unsupported: this libvips has no loader for the format; no-such-frame; corrupt: all else,
//	             including files truncated within the header; too-large: a side exceeds libvips' limit.
//	Concurrency: safe; occupies one thread during the call.
//	Cost:        one C call, tens of microseconds; TIFF is scanned to the end to count pages.
func ReadHeader(c *call.Call, format Format, data []byte, page int) (Header, error) {
	h, err := readHeader(c, format, data, 0)
	if err != nil || page == 0 {
		return h, err
	}
	if page < 0 || page >= h.Pages {
		return Header{}, noSuchPage(page, h.Pages)
	}
	return readHeader(c, format, data, page)
}

func readHeader(c *call.Call, format Format, data []byte, page int) (Header, error) {
	defer c.Part("libvips: header", c.Begin())
	if err := admit(c, format, data); err != nil {
		return Header{}, err
	}
	var header C.spool_vips_header
	var note C.spool_vips_note
	h := Header{Format: format, Page: page}
	source := h.source()
	code := C.spool_vips_read_header(unsafe.Pointer(&data[0]), C.size_t(len(data)), &source, &header, &note)
	runtime.KeepAlive(data)
	if code != C.SPOOL_VIPS_OK {
		return Header{}, failure(c, "probe", format, code, &note)
	}
	h.Width, h.Height = int(header.width), int(header.height)
	h.Color, h.Alpha, h.Bits = Color(header.color), header.alpha != 0, int(header.bits)
	h.Pages, h.Orientation = int(header.pages), int(header.orientation)
	if header.profile != nil {
		h.ICC = C.GoBytes(header.profile, C.int(min(header.profile_size, math.MaxInt32)))
		C.free(header.profile)
	}
	if format == JXL && animatedJXL(data) {
		h.Pages = 0
	}
	return h, nil
}

// source returns the description that C needs to find the image.
func (h *Header) source() C.spool_vips_source {
	return C.spool_vips_source{format: C.int32_t(h.Format), page: C.int32_t(h.Page), subifd: C.int32_t(h.SubIFD - 1)}
}

// admit refuses input that must not reach C.
func admit(c *call.Call, format Format, data []byte) error {
	if err := c.Err(); err != nil {
		return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	}
	if len(data) == 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "no bytes"}
	}
	if err := start(); err != nil {
		return err
	}
	if !Reads(format) {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Lib: library,
			Text: "this libvips has no loader for " + format.String()}
	}
	return nil
}
