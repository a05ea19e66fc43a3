package baseline

/*
#cgo noescape spool_baseline_planes
#cgo nocallback spool_baseline_planes
#include "baseline.h"
#include "rows.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

var (
	levels       = int(C.spool_baseline_levels())
	tableBytes   = int(C.spool_baseline_tables_bytes())
	decoderBytes = int(C.spool_baseline_decoder_bytes() + C.spool_baseline_window_bytes() + C.spool_baseline_blocks_bytes())
)

// Engine decodes pictures. It keeps the memory of the decoders that were in use at one time, about 150 KB
// each and 27 rows of the widest picture so far, for progressive ones 33 KB a scan and a row of MCUs of
// coefficients beside, and Huffman tables, up to 1 MB for all; so a picture costs no
// allocation. The zero value is ready for use.
// It is safe for concurrent use, but for Close.
type Engine struct {
	mu     sync.Mutex
	tables unsafe.Pointer // shared by all decoders, which need no lock to look at them
	idle   []*decoder
	level  int // of kernels, counted from 1, for tests; 0: the best
}

// decoder is the state of one decoder, in C memory. Its buffers are apart from it, so that the address sanitizer
// sees when one of them is left.
type decoder struct {
	c     *C.spool_baseline_decoder
	parts []part
	strip part                   // grows to what the widest picture takes
	lent  C.spool_baseline_strip // what of it the picture under way has
	row   [2]part                // of progressive pictures: coefficients, and which are not zero
}

type part struct {
	memory unsafe.Pointer
	bytes  int
}

func (d *decoder) alloc(n C.size_t) (unsafe.Pointer, error) {
	p, err := mem.Alloc(mem.Scratch, int(n))
	if err == nil {
		d.parts = append(d.parts, part{p, int(n)})
	}
	return p, err
}

func (d *decoder) free() {
	for _, p := range d.parts {
		mem.Free(mem.Scratch, p.memory, p.bytes)
	}
	for _, p := range append(d.row[:], d.strip) {
		mem.Free(mem.Scratch, p.memory, p.bytes)
	}
	*d = decoder{}
}

// grow makes the strip larger.
func (d *decoder) grow(n int) error {
	mem.Free(mem.Scratch, d.strip.memory, d.strip.bytes)
	d.strip = part{}
	p, err := mem.Alloc(mem.Scratch, n)
	if err == nil {
		d.strip = part{p, n}
	}
	return err
}

// take gives a decoder for one picture.
func (e *Engine) take() (*decoder, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.idle); n > 0 {
		d := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return d, nil
	}
	if e.tables == nil {
		tables, err := mem.Alloc(mem.Scratch, tableBytes)
		if err != nil {
			return nil, err
		}
		e.tables = tables
	}
	d := &decoder{}
	state, err1 := d.alloc(C.spool_baseline_decoder_bytes())
	window, err2 := d.alloc(C.spool_baseline_window_bytes())
	blocks, err3 := d.alloc(C.spool_baseline_blocks_bytes())
	if err := errors.Join(err1, err2, err3); err != nil {
		d.free()
		return nil, err
	}
	level := levels - 1
	if e.level > 0 {
		level = e.level - 1
	}
	d.c = (*C.spool_baseline_decoder)(state)
	C.spool_baseline_init(d.c, (*C.spool_baseline_tables)(e.tables), (*C.uint8_t)(window), (*C.int16_t)(blocks), C.int(level))
	return d, nil
}

// give takes a decoder back.
func (e *Engine) give(d *decoder) {
	e.mu.Lock()
	e.idle = append(e.idle, d)
	e.mu.Unlock()
}

// Planes decodes to planes as ReadLayout tells them, one behind the other, for tests and measurements.
//
// Data and dst are lent. The call stops within a row of MCUs when c's context ends. Where the Reason is not
// Decoded, what dst holds is unspecified. Errors are a *spool.Error of class canceled or timeout, spool.ErrShape
// when dst is too small, and spool.ErrOutOfMemory.
func (e *Engine) Planes(c *call.Call, data, dst []byte) (Reason, error) {
	d, err := e.take()
	if err != nil {
		return Decoded, err
	}
	defer e.give(d)
	for {
		status := C.spool_baseline_planes(d.c, bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst)), (*C.int32_t)(c.Flag()))
		if status != C.SPOOL_BASELINE_SCAN_MEMORY {
			return result(c, status)
		}
		if err := d.extend(); err != nil {
			return Decoded, err
		}
	}
}

// result is what a call's answer means.
func result(c *call.Call, status C.int) (Reason, error) {
	switch {
	case status >= 0:
		return Reason(status), nil
	case status == C.SPOOL_CANCELLED:
		err := c.Err()
		return Decoded, &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	case status == C.SPOOL_BASELINE_SHAPE:
		return Decoded, fmt.Errorf("%w: jpeg: the picture is not what the destination was made for", spool.ErrShape)
	}
	return Decoded, fmt.Errorf("%w: jpeg: the sink failed (status %d)", spool.ErrInternal, status)
}

// Close frees what is kept. No picture may be under way. The engine can be used again, and closed again.
func (e *Engine) Close() error {
	for _, d := range e.idle {
		d.free()
	}
	if e.tables != nil {
		mem.Free(mem.Scratch, e.tables, tableBytes)
	}
	e.idle, e.tables = nil, nil
	return nil
}
