package jp2

/*
#cgo noescape spool_jp2_decode
#cgo nocallback spool_jp2_decode
#include "jp2.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Options are the destination and the limits of a Decode call.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory), made for an image of the header's size and Channels.
	Sink unsafe.Pointer

	// Channels of the rows: 1 (gray images only), 3 or 4. Gray is repeated in RGB. Alpha is opaque if none is stored.
	Channels int
	Wide     bool // samples are uint16 in native byte order, else uint8
	Inks     bool // deliver the 4 CMYK channels as stored, where 255 or 65535 is full ink; else they are converted to RGB

	// Partial delivers the rows above missing or truncated tiles. Without it, such an image is refused before any memory
	// is allocated for it.
	Partial bool

	MaxMemory int64 // refuse an image whose Header.Memory is larger; 0: no limit
}

// validate returns all problems, joined.
func (o *Options) validate(h Header) error {
	var bad invalid.Options
	if h.stream == nil {
		bad.Addf("jp2: the header is not from ReadHeader")
	}
	if o.Sink == nil {
		bad.Addf("jp2: no Sink")
	}
	if o.Channels != 1 && o.Channels != 3 && o.Channels != 4 || o.Channels == 1 && h.Color != Gray {
		bad.Addf("jp2: %d channels", o.Channels)
	}
	if o.Inks && (h.Color != CMYK || o.Channels != 4) {
		bad.Addf("jp2: inks require 4 channels of a CMYK image, not %d channels", o.Channels)
	}
	if o.MaxMemory < 0 {
		bad.Addf("jp2: MaxMemory %d is negative", o.MaxMemory)
	}
	return bad.Err()
}

// Report describes what Decode delivered.
type Report struct {
	Rows int // counted from the first row that the sink wants
}

// Decode decodes the image with header h and pushes the rows that the sink wants. It borrows the sink and the data that
// h was read from. It makes one C call.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported, too-large, canceled or timeout; or
// spool.ErrOptions or spool.ErrOutOfMemory. Some truncated files are reported as corrupt. The report is also filled on
// error; its rows are final.
func Decode(c *call.Call, h Header, o Options) (Report, error) {
	defer c.Part("libopenjp2: decode", c.Begin())
	if err := o.validate(h); err != nil {
		return Report{}, err
	}
	if o.MaxMemory > 0 && h.memory > o.MaxMemory {
		return Report{}, fault(spool.ErrTooLarge, "%dx%d in JPEG 2000 may take %d bytes, the limit is %d", h.Width, h.Height,
			h.memory, o.MaxMemory)
	}
	if err := h.stream.whole(); err != nil && !o.Partial {
		return Report{}, err
	}
	options := o.c(h)
	var r C.spool_jp2_report
	status := C.spool_jp2_decode((*C.uint8_t)(unsafe.SliceData(h.codestream)), C.size_t(len(h.codestream)), &options,
		(*C.spool_sink)(o.Sink), (*C.int32_t)(c.Flag()), &r)
	report := Report{Rows: int(r.rows)}
	if status != C.SPOOL_JP2_OK {
		return report, failure(c, status, &r)
	}
	return report, nil
}

func (o *Options) c(h Header) C.spool_jp2_options {
	s := h.stream
	options := C.spool_jp2_options{
		left: C.int32_t(s.left), top: C.int32_t(s.top), right: C.int32_t(s.right), bottom: C.int32_t(s.bottom),
		count: C.int32_t(len(s.components)), color: C.int32_t(h.Color), opacity: C.int32_t(h.opacity),
		truncate: truth(h.truncate),
		channels: C.int32_t(o.Channels), wide: truth(o.Wide), inks: truth(o.Inks),
		tiles: C.int32_t(s.columns * s.rows), margin: C.int32_t(s.margin()), tile_pixels: C.int64_t(s.largest()),
		gaps: truth(s.missing()), undivided: truth(s.undivided),
	}
	for i, x := range s.components {
		options.components[i] = C.spool_jp2_component{bits: C.int32_t(x.bits), is_signed: truth(x.signed),
			dx: C.int32_t(x.dx), dy: C.int32_t(x.dy)}
	}
	for i, entry := range h.palette {
		for k, v := range entry {
			options.palette[i][k] = C.uint8_t(v)
		}
	}
	return options
}

func truth(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
