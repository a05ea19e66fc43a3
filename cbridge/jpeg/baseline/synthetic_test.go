package baseline_test

import (
	"math/rand/v2"
	"slices"
)

// synthetic is a file of random symbols instead of an image. Codes have any shape and length, and runs of zeros go up
// to the block's end and end at it. Values have any size, and samplings are any in scope. No encoder writes such files.
type synthetic struct {
	*rand.Rand
	data    []byte
	bits    uint32 // not written yet, the first one highest
	pending int    // number of these bits
	met     map[string]int
}

// Events that the random symbols must include.
const (
	zeros16 = "runs of 16 zeros"
	code16  = "codes of 16 bits"
	value15 = "values of 15 bits"
	last63  = "blocks that end with coefficient 63"
	zero63  = "blocks that end with 16 zeros"
	end62   = "ends of block behind coefficient 62"
)

// code is a Huffman table, with its symbols in order of code length.
type code struct {
	counts  [16]byte
	symbols []byte
	of      map[byte]int // index of a symbol
	words   []uint32
	lengths []int
}

// newCode makes a prefix code for the symbols: a tree whose leaves are split at random.
func (s *synthetic) newCode(symbols []byte) *code {
	leaves := []int{0}
	for len(leaves) <= len(symbols) { // the last code, all ones, must not be used
		i := s.IntN(len(leaves))
		if s.IntN(3) == 0 { // towards one end, for long codes
			i = len(leaves) - 1
		}
		if leaves[i] == 16 {
			continue
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
		slices.Sort(leaves)
	}
	c := &code{symbols: slices.Clone(symbols), of: map[byte]int{}, lengths: leaves[:len(symbols)]}
	s.Shuffle(len(symbols), func(i, j int) { c.symbols[i], c.symbols[j] = c.symbols[j], c.symbols[i] })
	word, length := uint32(0), 0
	for i, symbol := range c.symbols {
		word <<= c.lengths[i] - length
		length = c.lengths[i]
		c.counts[length-1]++
		c.words = append(c.words, word)
		c.of[symbol] = i
		word++
	}
	return c
}

// pick returns a symbol. If likely, short codes are more frequent than long ones, as in real files.
func (s *synthetic) pick(c *code, likely bool) byte {
	i := s.IntN(len(c.symbols))
	for likely && s.Uint32()>>(32-c.lengths[i]) != 0 {
		i = s.IntN(len(c.symbols))
	}
	return c.symbols[i]
}

func (s *synthetic) put(n int, bits uint32) {
	for i := n - 1; i >= 0; i-- {
		s.bits = s.bits<<1 | bits>>i&1
		if s.pending++; s.pending == 8 {
			b := byte(s.bits)
			s.data = append(s.data, b)
			if b == 0xFF {
				s.data = append(s.data, 0)
			}
			s.pending = 0
		}
	}
}

func (s *synthetic) symbol(c *code, symbol byte) {
	i := c.of[symbol]
	s.put(c.lengths[i], c.words[i])
	if c.lengths[i] == 16 {
		s.met[code16]++
	}
}

// pad fills the last byte.
func (s *synthetic) pad() {
	if s.pending > 0 {
		s.put(8-s.pending, s.Uint32()|uint32(s.IntN(2))*0xFF)
	}
}

func (s *synthetic) marker(marker byte, content ...byte) {
	n := len(content) + 2
	s.data = append(append(s.data, 0xFF, marker, byte(n>>8), byte(n)), content...)
}

// block writes a block of random coefficients, and returns its DC coefficient.
func (s *synthetic) block(dc, ac *code, predicted, limit int, likely bool) int {
	for try := 0; ; try++ {
		size := int(s.pick(dc, likely))
		if try == 8 {
			size = 0
		}
		bits := s.IntN(1 << size)
		difference := bits
		if size > 0 && bits>>(size-1) == 0 {
			difference = bits + 1 - 1<<size
		}
		if now := predicted + difference; -limit <= now && now <= limit {
			s.symbol(dc, byte(size))
			s.put(size, uint32(bits))
			predicted = now
			break
		}
	}
	for k := 0; k < 63; {
		symbol := s.pick(ac, likely)
		if s.IntN(40) == 0 {
			symbol = s.atEnd(ac, 63-k)
		}
		if symbol != 0 && k+int(symbol>>4)+1 > 63 || s.IntN(20) == 0 {
			symbol = 0
		}
		run, size := int(symbol>>4), int(symbol&15)
		s.symbol(ac, symbol)
		if symbol == 0 {
			if k == 62 {
				s.met[end62]++
			}
			break
		}
		s.put(size, s.Uint32())
		k += run + 1
		switch {
		case symbol == 0xF0 && k == 63:
			s.met[zero63]++
		case symbol == 0xF0:
			s.met[zeros16]++
		case k == 63:
			s.met[last63]++
		}
		if size == 15 {
			s.met[value15]++
		}
	}
	return predicted
}

// atEnd returns a symbol that advances the block to its last coefficient, or close to it, or ends the block.
func (s *synthetic) atEnd(ac *code, left int) byte {
	for _, i := range s.Perm(len(ac.symbols)) {
		symbol := ac.symbols[i]
		if n := int(symbol>>4) + 1; symbol != 0 && (n == left || n == left-1) {
			return symbol
		}
	}
	return 0
}

// someCodes returns codes of random symbols, with those that every file needs.
func (s *synthetic) someCodes(maxSize int) (dc, ac *code) {
	sizes, symbols := []byte{0}, []byte{0}
	for size := 1; size <= maxSize; size++ {
		sizes = append(sizes, byte(size))
	}
	for _, i := range s.Perm(256) {
		if size := i & 15; size > 0 && size <= maxSize || i == 0xF0 {
			symbols = append(symbols, byte(i))
		}
	}
	if s.IntN(3) == 0 {
		symbols = symbols[:1+s.IntN(len(symbols))]
	}
	if maxSize < 11 && s.IntN(2) == 0 {
		symbols = append(symbols[:1], s.preferred(symbols[1:])...)
	}
	return s.newCode(sizes), s.newCode(symbols)
}

// preferred returns the symbols of short runs.
func (s *synthetic) preferred(symbols []byte) []byte {
	return slices.DeleteFunc(slices.Clone(symbols), func(symbol byte) bool { return symbol>>4 > 3 && symbol != 0xF0 })
}

// sampling draws the factors of three components with at most 10 blocks an MCU: common factors, or any.
func (s *synthetic) sampling() [3]byte {
	if s.IntN(2) == 0 {
		luma := [...]byte{0x22, 0x21, 0x11, 0x12}[s.IntN(4)]
		return [3]byte{luma, 0x11, 0x11}
	}
	for {
		var factors [3]byte
		blocks := 0
		for i := range factors {
			h, v := 1+s.IntN(2), 1+s.IntN(2)
			factors[i] = byte(h<<4 | v)
			blocks += h * v
		}
		if blocks <= 10 {
			return factors
		}
	}
}

// Kinds of coefficients of a file.
const (
	tame  = iota // in range
	wild         // any
	brink        // one block near the end of the range
)

// newSynthetic writes a whole file, of an image of up to most x most pixels, and counts its events in met.
func newSynthetic(r *rand.Rand, kind, most int, met map[string]int) []byte {
	s := &synthetic{Rand: r, data: []byte{0xFF, 0xD8}, met: met}
	maxSize, quant := 1+s.IntN(6), 1+s.IntN(12)
	w, h := 1+s.IntN(most), 1+s.IntN(most)
	switch kind {
	case wild:
		maxSize, quant = 1+s.IntN(15), 1+s.IntN(255)
	case brink:
		maxSize = 3 + s.IntN(10)
		quant = 1 + s.IntN(min(255, 1<<13>>maxSize))
		w, h = 1+s.IntN(8), 1+s.IntN(8)
	}
	likely := s.IntN(2) == 0
	components, sampling := 3, s.sampling()
	if kind == brink || s.IntN(4) == 0 {
		components = 1
	}
	if s.IntN(2) == 0 {
		s.marker(0xE0, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0)
	}
	for table := range byte(2) {
		content := []byte{table}
		if wide := s.IntN(4) == 0; wide {
			content[0] |= 0x10
			for range 64 {
				content = append(content, byte(s.IntN(2)*s.IntN(quant)>>4), byte(1+s.IntN(quant)))
			}
		} else {
			for range 64 {
				content = append(content, byte(1+s.IntN(quant)))
			}
		}
		s.marker(0xDB, content...)
	}
	var codes [2][2]*code
	for table := range byte(2) {
		dc, ac := s.someCodes(maxSize)
		codes[table] = [2]*code{dc, ac}
		s.marker(0xC4, slices.Concat([]byte{table}, dc.counts[:], dc.symbols, []byte{0x10 | table}, ac.counts[:],
			ac.symbols)...)
	}
	restart := 0
	if s.IntN(3) == 0 {
		restart = 1 + s.IntN(12)
		s.marker(0xDD, byte(restart>>8), byte(restart))
	}
	frame, scan := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(components)}, []byte{byte(components)}
	maxH, maxV := 1, 1
	var tables []int // of each block of an MCU
	var owner []int
	for i := range components {
		hv := sampling[i]
		table := s.IntN(2)
		frame = append(frame, byte(i+1), hv, byte(s.IntN(2)))
		scan = append(scan, byte(i+1), byte(table<<4|table))
		if components == 1 {
			hv = 0x11
		}
		maxH, maxV = max(maxH, int(hv>>4)), max(maxV, int(hv&15))
		for range (hv >> 4) * (hv & 15) {
			tables, owner = append(tables, table), append(owner, i)
		}
	}
	s.marker(0xC0+byte(s.IntN(2)), frame...)
	s.marker(0xDA, append(scan, 0, 63, 0)...)
	limit := 1<<min(maxSize, 11) - 1
	var predicted [3]int
	mcus := ((w + 8*maxH - 1) / (8 * maxH)) * ((h + 8*maxV - 1) / (8 * maxV))
	for i := range mcus {
		if restart > 0 && i > 0 && i%restart == 0 {
			s.pad()
			s.data = append(s.data, 0xFF, 0xD0+byte((i/restart-1)%8))
			predicted = [3]int{}
		}
		for j, table := range tables {
			predicted[owner[j]] = s.block(codes[table][0], codes[table][1], predicted[owner[j]], limit, likely)
		}
	}
	s.pad()
	return append(s.data, 0xFF, 0xD9)
}
