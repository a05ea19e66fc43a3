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
	best         = int(C.spool_baseline_best())
	tableBytes   = int(C.spool_baseline_tables_bytes())
	decoderBytes = int(C.spool_baseline_decoder_bytes() + C.spool_baseline_window_bytes() +
		C.spool_baseline_blocks_bytes())
)

// Engine decodes images. It keeps the memory of as many decoders as were in use concurrently, so an image costs no
// allocation. A decoder takes about 150 KB and 27 rows of the widest image so far. For progressive images it takes 33
// KB more for each scan, and the coefficients of an MCU row. Huffman tables take up to 1 MB for all decoders. The zero
// value is ready to use. It is safe for concurrent use, except for Close.
type Engine struct {
	mu     sync.Mutex
	tables unsafe.Pointer // shared by all decoders, which read them without a lock
	idle   []*decoder
	level  int // of kernels, counted from 1, for tests; 0: the best
}

// decoder is the state of one decoder, in C memory. Its buffers are separate allocations, so the address sanitizer
// detects accesses beyond each of them.
type decoder struct {
	c           *C.spool_baseline_decoder
	allocations []allocation
	strip       allocation             // grows for wider images
	given       C.spool_baseline_strip // the range of it that the current image uses
	row         [2]allocation          // for progressive images: coefficients, and which are not zero
}

type allocation struct {
	memory unsafe.Pointer
	bytes  int
}

func (d *decoder) alloc(n C.size_t) (unsafe.Pointer, error) {
	p, err := mem.Alloc(mem.Scratch, int(n))
	if err == nil {
		d.allocations = append(d.allocations, allocation{p, int(n)})
	}
	return p, err
}

func (d *decoder) free() {
	for _, p := range d.allocations {
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
	d.strip = allocation{}
	p, err := mem.Alloc(mem.Scratch, n)
	if err == nil {
		d.strip = allocation{p, n}
	}
	return err
}

// acquire returns a decoder for one image.
func (e *Engine) acquire() (*decoder, error) {
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
	level := best
	if e.level > 0 {
		level = e.level - 1
	}
	d.c = (*C.spool_baseline_decoder)(state)
	C.spool_baseline_init(d.c, (*C.spool_baseline_tables)(e.tables), (*C.uint8_t)(window), (*C.int16_t)(blocks),
		C.int(level))
	return d, nil
}

// release returns a decoder to the engine.
func (e *Engine) release(d *decoder) {
	e.mu.Lock()
	e.idle = append(e.idle, d)
	e.mu.Unlock()
}

// Planes decodes to the planes of ReadLayout, one after the other, for tests and measurements.
//
// Data and dst are borrowed. The call stops within an MCU row when c's context ends. If the Reason is not Decoded, the
// content of dst is unspecified. Errors are a *spool.Error of class canceled or timeout, spool.ErrShape if dst is too
// small, and spool.ErrOutOfMemory.
func (e *Engine) Planes(c *call.Call, data, dst []byte) (Reason, error) {
	d, err := e.acquire()
	if err != nil {
		return Decoded, err
	}
	defer e.release(d)
	for {
		status := C.spool_baseline_planes(d.c, bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst)),
			(*C.int32_t)(c.Flag()))
		if status != C.SPOOL_BASELINE_SCAN_MEMORY {
			return result(c, status)
		}
		if err := d.extend(); err != nil {
			return Decoded, err
		}
	}
}

// result converts the status of a C call.
func result(c *call.Call, status C.int) (Reason, error) {
	switch {
	case status >= 0:
		return Reason(status), nil
	case status == C.SPOOL_CANCELLED:
		err := c.Err()
		return Decoded, &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
	case status == C.SPOOL_BASELINE_SHAPE:
		return Decoded, fmt.Errorf("%w: jpeg: the image does not fit the destination", spool.ErrShape)
	}
	return Decoded, fmt.Errorf("%w: jpeg: the sink failed (status %d)", spool.ErrInternal, status)
}

// Close frees the memory. No image may be being decoded. The engine can be used and closed again.
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
