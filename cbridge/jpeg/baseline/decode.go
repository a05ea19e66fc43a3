package baseline

/*
#cgo noescape spool_baseline_rows
#cgo nocallback spool_baseline_rows
#include "rows.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Options define the destination of an image's rows.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory), made for an image of Width x Height with three channels, or one
	// channel if Gray is set. It defines the requested rows and columns.
	Sink          unsafe.Pointer
	Width, Height int // compared with the image
	Gray          bool

	// MaxMemory limits the decoder's memory in bytes, without the tables that it shares with others. 0 means no limit.
	MaxMemory int64
}

// Decode decodes the image in data, and delivers the rows that the sink requests. They equal those of package jpeg byte
// for byte. Rows below them are not read, and columns outside are not transformed.
//
// Data and sink are borrowed. The call stops within an MCU row when c's context ends. It makes one C call, or several
// if it needs more memory than earlier calls.
//
// If the Reason is not Decoded, some rows may have been delivered. The caller must decode the image again, into a new
// sink. Errors are a *spool.Error of class canceled or timeout; spool.ErrShape if the image is not that of the sink;
// spool.ErrOptions without a sink; and spool.ErrOutOfMemory.
func (e *Engine) Decode(c *call.Call, data []byte, o Options) (Reason, error) {
	if o.Sink == nil {
		return Decoded, fmt.Errorf("%w: jpeg: no Sink", spool.ErrOptions)
	}
	options := C.spool_baseline_options{width: C.int32_t(o.Width), height: C.int32_t(o.Height)}
	if o.Gray {
		options.color = C.SPOOL_BASELINE_GRAY
	}
	return e.withStrip(c, o.MaxMemory, func(d *decoder) C.int {
		return C.spool_baseline_rows(d.c, bytesOf(data), C.size_t(len(data)), &options, &d.given, (*C.spool_sink)(o.Sink),
			(*C.int32_t)(c.Flag()))
	})
}

// withStrip runs decode with a strip, which is memory for an MCU row. It repeats it with more memory while there is too
// little.
func (e *Engine) withStrip(c *call.Call, maxMemory int64, decode func(d *decoder) C.int) (Reason, error) {
	defer c.Part("spool jpeg: decode", c.Begin())
	room := int64(math.MaxInt64) // for the strip and for a progressive image
	if maxMemory > 0 {
		room = maxMemory - int64(decoderBytes)
	}
	if room < 0 {
		return Memory, nil
	}
	d, err := e.acquire()
	if err != nil {
		return Decoded, err
	}
	defer e.release(d)
	for {
		d.given = C.spool_baseline_strip{strip: (*C.uint8_t)(d.strip.memory), bytes: C.size_t(d.strip.bytes),
			room: C.size_t(room)}
		switch status := decode(d); status {
		case C.SPOOL_BASELINE_MEMORY:
			err = d.grow(int(d.given.needed))
		case C.SPOOL_BASELINE_SCAN_MEMORY:
			if d.extent() > room {
				return Memory, nil
			}
			err = d.extend()
		default:
			return result(c, status)
		}
		if err != nil {
			return Decoded, err
		}
	}
}
