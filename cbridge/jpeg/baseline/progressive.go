package baseline

// #include "baseline.h"
import "C"

import "github.com/spoolmedia/spool/cbridge/mem"

// The memory for a block of a row: its coefficients, and a word with a bit for each coefficient that is not zero.
const (
	coefficientBytes = 64 * 2
	nonzeroBytes     = 8
)

// extent returns the memory that the last opened progressive image needs, in bytes.
func (d *decoder) extent() int64 {
	return int64(C.spool_baseline_extent_bytes(C.spool_baseline_needs(d.c)))
}

// extend gives the decoder the memory for the progressive image that it has just opened. Windows and rows are separate
// allocations, for the address sanitizer.
func (d *decoder) extend() error {
	has, needs := C.spool_baseline_has(d.c), C.spool_baseline_needs(d.c)
	for ; has.scans < needs.scans; has.scans++ {
		state, err := d.alloc(C.spool_baseline_scan_bytes())
		if err != nil {
			return err
		}
		window, err := d.alloc(C.spool_baseline_window_bytes())
		if err != nil {
			return err
		}
		C.spool_baseline_give_scan(d.c, state, (*C.uint8_t)(window))
	}
	if has.blocks >= needs.blocks {
		return nil
	}
	C.spool_baseline_give_row(d.c, nil, nil, 0)
	for _, p := range d.row {
		mem.Free(mem.Scratch, p.memory, p.bytes)
	}
	d.row = [2]allocation{}
	for i, bytes := range [2]int{coefficientBytes, nonzeroBytes} {
		n := int(needs.blocks) * bytes
		p, err := mem.Alloc(mem.Scratch, n)
		if err != nil {
			return err
		}
		d.row[i] = allocation{p, n}
	}
	C.spool_baseline_give_row(d.c, (*C.int16_t)(d.row[0].memory), (*C.uint64_t)(d.row[1].memory), needs.blocks)
	return nil
}
