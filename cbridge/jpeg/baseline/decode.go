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

// Options say where the rows of a picture go.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory), made for a picture of Width x Height, and of three channels,
	// or one where Gray. It names the rows and columns it wants.
	Sink          unsafe.Pointer
	Width, Height int // checked against the picture
	Gray          bool

	// MaxMemory bounds what the decoder takes, the tables that it shares with others left out, in bytes. 0 means no bound.
	MaxMemory int64
}

// Decode decodes the picture in data and delivers the rows that the sink wants, as package jpeg does, to the byte.
// Nothing below them is looked at; columns beside are not transformed.
//
// Data and sink are lent. The call stops within a row of MCUs when c's context ends. It makes one C call, and
// more where it takes more memory than those before.
//
// Where the Reason is not Decoded, rows may have been delivered: the picture is to be decoded anew, into
// a new sink. Errors are a *spool.Error of class canceled or timeout, spool.ErrShape when the picture is not the one
// that the sink was made for, spool.ErrOptions without a sink, and spool.ErrOutOfMemory.
func (e *Engine) Decode(c *call.Call, data []byte, o Options) (Reason, error) {
	if o.Sink == nil {
		return Decoded, fmt.Errorf("%w: jpeg: no Sink", spool.ErrOptions)
	}
	options := C.spool_baseline_options{width: C.int32_t(o.Width), height: C.int32_t(o.Height)}
	if o.Gray {
		options.color = C.SPOOL_BASELINE_GRAY
	}
	return e.inStrip(c, o.MaxMemory, func(d *decoder) C.int {
		return C.spool_baseline_rows(d.c, bytesOf(data), C.size_t(len(data)), &options, &d.lent, (*C.spool_sink)(o.Sink), (*C.int32_t)(c.Flag()))
	})
}

// inStrip has a decoder decode by way of memory for a row of MCUs, and again where it had too little of it.
func (e *Engine) inStrip(c *call.Call, maxMemory int64, decode func(d *decoder) C.int) (Reason, error) {
	room := int64(math.MaxInt64) // for the strip, and what a progressive picture takes
	if maxMemory > 0 {
		room = maxMemory - int64(decoderBytes)
	}
	if room < 0 {
		return Memory, nil
	}
	d, err := e.take()
	if err != nil {
		return Decoded, err
	}
	defer e.give(d)
	for {
		d.lent = C.spool_baseline_strip{strip: (*C.uint8_t)(d.strip.memory), bytes: C.size_t(d.strip.bytes), room: C.size_t(room)}
		switch status := decode(d); status {
		case C.SPOOL_BASELINE_MEMORY:
			err = d.grow(int(d.lent.needed))
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
