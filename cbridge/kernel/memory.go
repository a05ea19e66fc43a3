package kernel

// #include "engine.h"
import "C"

import "unsafe"

// The sizes that layout.c divides memory by.
const (
	blockBytes  = 64 << 10 // of lent rows, at most, except for a group of rows
	blockOffset = 8
)

// engineMemory counts the memory of an engine as layout.c takes it, so that a plan is prepared without a call into C.
// C refuses less when it opens the engine.
type engineMemory struct {
	plan     *C.spool_plan
	channels int // after intake
	sample   int // bytes of a sample after intake
	used     int
}

// engineBytes returns the bytes of memory for an engine with this plan, wherever the memory begins.
func engineBytes(p *C.spool_plan) int {
	m := engineMemory{plan: p, channels: int(p.channels), sample: 1}
	switch {
	case p.luma != 0:
		m.channels = 1
	case p.alpha != C.SPOOL_ALPHA_KEEP:
		m.channels = 3
	}
	if p.words != 0 && p._type != C.SPOOL_UINT8 {
		m.sample = 2
	}
	m.take(int(unsafe.Sizeof(C.spool_engine{})))
	m.taps(&p.horizontal, p.horizontal.quads != 0 && m.channels == 1 && m.sample == 1)
	m.taps(&p.vertical, false)
	m.rows()
	return m.used + alignment - 1
}

// engineBytes is the count of C, for tests.
func (r *Prepared) engineBytes() int { return int(C.spool_engine_bytes(&r.c)) }

// take counts a part of n bytes.
func (m *engineMemory) take(n int) { m.used += aligned(n) }

// takeRows counts rows of so many bytes each.
func (m *engineMemory) takeRows(rows, bytes int) { m.take(rows * rowStride(bytes)) }

// rowStride is the bytes from one row to the next. Rows a multiple of 4096 apart would compete for cache lines.
func rowStride(bytes int) int {
	stride := aligned(bytes + C.SPOOL_SLACK)
	if stride%4096 == 0 {
		stride += alignment
	}
	return stride
}

// taps counts the taps of an axis: in words for 16-bit samples, and with a second form in quads.
func (m *engineMemory) taps(a *C.spool_axis, quads bool) {
	if a.taps == 0 {
		return
	}
	outputs, words, wide := (int(a.out)+3)&^3, m.sample == 2, a.wide != 0
	weights := outputs * ((int(a.taps) + 7) &^ 7)
	m.take(outputs * 4)
	if words {
		m.take(weights * 4)
	}
	if words && !wide {
		m.take(outputs * 4)
	}
	if !words || !wide {
		m.take(weights * 2)
	}
	if !words && wide {
		m.take(weights * 2)
	}
	if quads {
		pairs := outputs / 4 * ((int(a.taps) + 1) / 2)
		m.take(pairs * 16)
		m.take(pairs * 16)
	}
}

// rows counts the rows that the engine keeps.
func (m *engineMemory) rows() {
	p := m.plan
	across, down := &p.horizontal, &p.vertical
	elem := 2 // bytes of an output element
	switch p._type {
	case C.SPOOL_UINT8:
		elem = 1
	case C.SPOOL_FLOAT32:
		elem = 4
	}
	plain := elem == m.sample && (p._type == C.SPOOL_UINT8 || p._type == C.SPOOL_UINT16) && p.planar == 0 && p.swap == 0 &&
		m.channels == int(p.out_channels)
	converted := p.alpha != C.SPOOL_ALPHA_KEEP || p.luma != 0 || p.premultiply != 0
	pushed := int(p.channels) << min(p.words, 1)
	direct := plain && across.taps == 0 && down.taps == 0 && !converted && m.sample*int(p.channels) == pushed &&
		p.left == 0 && p.right == p.width && p.transpose == 0 && p.upward == 0
	verticalFirst := p.vertical_first != 0 && across.taps != 0 && down.taps != 0
	finished := int(across.out) * m.channels * m.sample

	if !direct {
		m.block(int(p.width) * pushed)
	}
	steps := int(min(p.alpha, 1) + p.luma + p.premultiply)
	if p.words != 0 && m.sample == 1 {
		steps++
	}
	for range min(steps, 2) {
		m.takeRows(C.SPOOL_GROUP, int(across.in*p.channels)*m.sample)
	}
	ring := false
	if down.taps != 0 {
		ring = m.between(verticalFirst)
	}
	if across.taps != 0 && !verticalFirst && !ring {
		m.takeRows(C.SPOOL_GROUP, finished)
	}
	switch {
	case p.transpose != 0:
		m.takeRows(C.SPOOL_TILE, finished)
		m.take(C.SPOOL_TILE*m.channels*m.sample + C.SPOOL_SLACK)
	case verticalFirst:
		m.takeRows(C.SPOOL_GROUP, finished)
	case !plain:
		m.takeRows(1, finished)
	}
	if p._type != C.SPOOL_UINT8 {
		m.take(int(p.out_channels) * 256 * elem)
	}
}

// block counts the rows that are lent to a decoder.
func (m *engineMemory) block(row int) {
	rows := blockBytes / rowStride(row) / C.SPOOL_GROUP * C.SPOOL_GROUP
	rows = max(min(rows, C.SPOOL_BLOCK_ROWS), C.SPOOL_GROUP)
	m.takeRows(min(rows, int(m.plan.vertical.in)), row)
	m.take(blockOffset)
}

// between counts the rows between the passes, and reports whether they are a ring.
func (m *engineMemory) between(verticalFirst bool) (ring bool) {
	v := &m.plan.vertical
	samples := int(m.plan.horizontal.out) * m.channels
	if verticalFirst {
		samples = int(m.plan.horizontal.in) * m.channels
	}
	rows, row := int(v.taps)-1+C.SPOOL_GROUP, samples*m.sample
	sums := (samples + C.SPOOL_SUMS - 1) / C.SPOOL_SUMS * C.SPOOL_SUMS * 4 * m.sample
	ring = rows*rowStride(row) <= max(int(m.plan.ring_bytes), int(v.overlap)*rowStride(sums))
	if ring {
		m.takeRows(rows, row)
		m.take(2 * rows * int(unsafe.Sizeof(uintptr(0))))
	} else {
		m.takeRows(int(v.overlap), sums)
	}
	if verticalFirst {
		m.takeRows(C.SPOOL_GROUP, row)
	}
	return ring
}
