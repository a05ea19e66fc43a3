package baseline_test

import (
	"math/rand/v2"
	"slices"
)

// syntheticProgressive is a progressive file of random symbols: any legal and complete script of scans, band ends of
// any length, and in each scan new codes and another restart interval.
type syntheticProgressive struct {
	*synthetic
	parts   []syntheticPart
	maxSize int // of values, including their lower bits
	columns int // MCUs
	rows    int
}

// syntheticPart is a component.
type syntheticPart struct {
	h, v          int
	width, height int        // blocks of the image
	stride        int        // blocks of a line, in whole MCUs
	nonzero       [][64]bool // by block
	lowest        [64]int    // lowest bit sent of each coefficient; unsent
}

const unsent = -1

type syntheticScan struct {
	parts       []int
	first, last int
	high, low   int
}

// script makes scans until everything is sent. It fails if there are too many.
func (s *syntheticProgressive) script() (scans []syntheticScan, ok bool) {
	for i := range s.parts {
		for k := range 64 {
			s.parts[i].lowest[k] = unsent
		}
	}
	all := make([]int, len(s.parts))
	for i := range all {
		all[i] = i
	}
	send := func(scan syntheticScan) {
		for _, i := range scan.parts {
			for k := scan.first; k <= scan.last; k++ {
				s.parts[i].lowest[k] = scan.low
			}
		}
		scans = append(scans, scan)
	}
	groups := [][]int{all}
	if len(all) == 3 {
		groups = [][][]int{{all}, {{0}, {1, 2}}, {{2}, {0, 1}}, {{0}, {1}, {2}}, {{0, 2}, {1}}}[s.IntN(5)]
	}
	for _, group := range groups {
		send(syntheticScan{parts: group, low: s.IntN(3)})
	}
	for len(scans) <= 32 {
		i, k := s.IntN(len(all)), s.IntN(2)
		part := &s.parts[i]
		for k < 64 && part.lowest[k] == 0 {
			k++
		}
		if k == 64 {
			if !slices.ContainsFunc(s.parts, func(p syntheticPart) bool { return p.lowest != [64]int{} }) {
				return scans, true
			}
			continue
		}
		high := part.lowest[k]
		scan := syntheticScan{parts: []int{i}, first: k, last: k, high: max(high, 0), low: high - 1}
		if high == unsent {
			scan.low = s.IntN(3)
		}
		for k > 0 && scan.last < 63 && part.lowest[scan.last+1] == high {
			scan.last++
		}
		if k > 0 && s.IntN(6) == 0 {
			scan.last = k + s.IntN(scan.last-k+1)
		}
		if k == 0 { // the other components in the same state
			for j := range all {
				if j != i && s.parts[j].lowest[0] == high && s.IntN(2) == 0 {
					scan.parts = append(scan.parts, j)
				}
			}
			slices.Sort(scan.parts)
		}
		send(scan)
	}
	return nil, false
}

// newTable writes a code for the symbols, and returns its number.
func (s *syntheticProgressive) newTable(class byte, symbols []byte) (*code, byte) {
	c := s.newCode(symbols)
	table := byte(s.IntN(4))
	s.marker(0xC4, slices.Concat([]byte{class<<4 | table}, c.counts[:], c.symbols)...)
	return c, table
}

// band returns the symbols of a scan of AC coefficients.
func (s *syntheticProgressive) band(scan syntheticScan) []byte {
	symbols := []byte{0}
	largest := max(1, s.maxSize-scan.low)
	if scan.high > 0 {
		largest = 1
	}
	for _, i := range s.Perm(256) {
		if size := i & 15; i > 0 && (size <= largest || size == 0) {
			symbols = append(symbols, byte(i))
		}
	}
	if s.IntN(2) == 0 {
		symbols = symbols[:1+s.IntN(len(symbols))]
	}
	return symbols
}

// coder is the state of writing a scan.
type coder struct {
	*syntheticProgressive
	scan      syntheticScan
	codes     []*code // one, or one for each component
	predicted [3]int
	ended     int // further blocks without symbols
	likely    bool
}

// difference writes a difference of DC coefficients.
func (c *coder) difference(i int) {
	limit := 1<<c.maxSize - 1
	for try := 0; ; try++ {
		size := int(c.pick(c.codes[i], c.likely))
		if try == 8 {
			size = 0
		}
		bits := c.IntN(1 << size)
		value := bits
		if size > 0 && bits>>(size-1) == 0 {
			value = bits + 1 - 1<<size
		}
		if now := (c.predicted[i] + value) << c.scan.low; -limit <= now && now <= limit || size == 0 {
			c.symbol(c.codes[i], byte(size))
			c.put(size, uint32(bits))
			c.predicted[i] += value
			return
		}
	}
}

// block writes the band of a block.
func (c *coder) block(part *syntheticPart, block int) {
	known := part.nonzero[block] // corrected when they are passed
	pass := func(k int) {
		if known[k] {
			c.put(1, c.Uint32())
		}
	}
	k := c.scan.first
	for c.ended == 0 && k <= c.scan.last {
		zeros := 0
		for j := k; j <= c.scan.last; j++ {
			if !known[j] {
				zeros++
			}
		}
		symbol := c.pick(c.codes[0], c.likely)
		run, size := int(symbol>>4), int(symbol&15)
		if (size > 0 || run == 15) && run >= zeros || c.IntN(20) == 0 {
			symbol, run, size = 0, 0, 0
		}
		c.symbol(c.codes[0], symbol)
		if size == 0 && run < 15 {
			bits := c.IntN(1 << run)
			c.put(run, uint32(bits))
			c.ended = 1<<run + bits
			break
		}
		value := c.Uint32()
		if c.scan.high == 0 {
			c.put(size, value)
		} else if size > 0 {
			c.put(1, value)
		}
		for ; known[k] || run > 0; k++ {
			if pass(k); !known[k] {
				run--
			}
		}
		part.nonzero[block][k] = size > 0
		k++
	}
	if c.ended > 0 {
		for ; k <= c.scan.last; k++ {
			pass(k)
		}
		c.ended--
	}
}

// one writes the scan's data of a block of its component i.
func (c *coder) one(i, block int) {
	switch {
	case c.scan.first > 0:
		c.block(&c.parts[c.scan.parts[i]], block)
	case c.scan.high > 0:
		c.put(1, c.Uint32())
	default:
		c.difference(i)
	}
}

// mcu writes MCU n of the scan.
func (c *coder) mcu(n int) {
	if len(c.scan.parts) == 1 {
		part := &c.parts[c.scan.parts[0]]
		c.one(0, n/part.width*part.stride+n%part.width)
		return
	}
	for i, p := range c.scan.parts {
		part := &c.parts[p]
		for y := range part.v {
			for x := range part.h {
				c.one(i, (n/c.columns*part.v+y)*part.stride+n%c.columns*part.h+x)
			}
		}
	}
}

// mcus returns the number of MCUs in the scan.
func (c *coder) mcus() int {
	if len(c.scan.parts) == 1 {
		part := &c.parts[c.scan.parts[0]]
		return part.width * part.height
	}
	return c.columns * c.rows
}

// write writes the scan, after its tables and restart interval.
func (s *syntheticProgressive) write(scan syntheticScan, restart int) {
	c := coder{syntheticProgressive: s, scan: scan, likely: s.IntN(2) == 0}
	header := []byte{byte(len(scan.parts))}
	var dc []byte
	for size := range 1 + max(1, s.maxSize-scan.low) {
		dc = append(dc, byte(size))
	}
	var table byte
	for i, part := range scan.parts {
		if scan.first > 0 {
			var code *code
			code, table = s.newTable(1, s.band(scan))
			c.codes = append(c.codes, code)
		} else if scan.high == 0 && (i == 0 || s.IntN(2) == 0) {
			// The next component's code may replace this one, which is then unused.
			var code *code
			code, table = s.newTable(0, dc)
			for j := range c.codes {
				if header[2+2*j] == table<<4 {
					c.codes[j] = code
				}
			}
			c.codes = append(c.codes, code)
			table <<= 4
		} else if scan.high == 0 {
			c.codes = append(c.codes, c.codes[i-1])
		}
		header = append(header, byte(part+1), table)
	}
	s.marker(0xDA, append(header, byte(scan.first), byte(scan.last), byte(scan.high<<4|scan.low))...)
	for i := range c.mcus() {
		if restart > 0 && i > 0 && i%restart == 0 {
			s.pad()
			s.data = append(s.data, 0xFF, 0xD0+byte((i/restart-1)%8))
			c.predicted, c.ended = [3]int{}, 0
		}
		c.mcu(i)
	}
	s.pad()
}

// newProgressive writes a whole file, of an image of up to most x most pixels.
func newProgressive(r *rand.Rand, kind, most int) []byte {
	s := &syntheticProgressive{synthetic: &synthetic{Rand: r, data: []byte{0xFF, 0xD8}, met: map[string]int{}},
		maxSize: 1 + r.IntN(6)}
	quant := 1 + s.IntN(12)
	w, h := 1+s.IntN(most), 1+s.IntN(most)
	if kind == wild {
		s.maxSize, quant = 1+s.IntN(15), 1+s.IntN(255)
	}
	components, sampling, maxH, maxV := 3, s.sampling(), 1, 1
	if s.IntN(4) == 0 {
		components = 1
	}
	content := []byte{0}
	for range 64 {
		content = append(content, byte(1+s.IntN(quant)))
	}
	s.marker(0xDB, content...)
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(components)}
	for i := range components {
		frame = append(frame, byte(i+1), sampling[i], 0)
		if components == 1 { // an MCU is a block, whatever the factors
			sampling[i] = 0x11
		}
		maxH, maxV = max(maxH, int(sampling[i]>>4)), max(maxV, int(sampling[i]&15))
	}
	s.marker(0xC2, frame...)
	s.columns, s.rows = (w+8*maxH-1)/(8*maxH), (h+8*maxV-1)/(8*maxV)
	for _, factors := range sampling[:components] {
		part := syntheticPart{h: int(factors >> 4), v: int(factors & 15)}
		part.width, part.height = (w*part.h+8*maxH-1)/(8*maxH), (h*part.v+8*maxV-1)/(8*maxV)
		part.stride = s.columns * part.h
		part.nonzero = make([][64]bool, part.stride*s.rows*part.v)
		s.parts = append(s.parts, part)
	}
	scans, ok := s.script()
	for !ok {
		scans, ok = s.script()
	}
	restart := 0
	for _, scan := range scans {
		if s.IntN(8) == 0 {
			restart = s.IntN(2) * (1 + s.IntN(20))
			s.marker(0xDD, byte(restart>>8), byte(restart))
		}
		s.write(scan, restart)
	}
	return append(s.data, 0xFF, 0xD9)
}
