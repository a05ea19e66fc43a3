package cache

import (
	"encoding/binary"
	"io"
)

// demand counts the recent requests for keys, cached or not, of all processes. It is a count-min sketch in a file,
// whose counters are halved from time to time. Its numbers are estimates: two concurrent requests may count once, and
// keys may share counters. Only the choice of cached entries depends on them.
type demand struct {
	file interface {
		io.ReaderAt
		io.WriterAt
	}
}

// The file is the number of requests since the last halving, then blocks of 64 counters. Each key has four counters in
// one block.
const (
	demandHead   = 64
	demandBlock  = 64
	demandBlocks = 1 << 16
	demandBytes  = demandHead + demandBlock*demandBlocks
)

// places returns the offset of the block with a key's counters, and the index of one counter in each quarter of it.
func places(d *digest) (block int64, at [4]int) {
	block = demandHead + demandBlock*int64(binary.LittleEndian.Uint64(d[:])%demandBlocks)
	for i := range at {
		at[i] = 16*i + int(d[8+i]&15)
	}
	return block, at
}

// of returns the number of requests for a key.
func (c demand) of(d *digest) int {
	var block [demandBlock]byte
	off, at := places(d)
	if _, err := c.file.ReadAt(block[:], off); err != nil {
		return 0
	}
	return least(&block, at)
}

// add counts a request for a key, and returns how many there were.
func (c demand) add(d *digest) int {
	var block [demandBlock]byte
	off, at := places(d)
	if _, err := c.file.ReadAt(block[:], off); err != nil {
		return 0
	}
	n := least(&block, at)
	if n == 255 {
		return n
	}
	for _, i := range at {
		if block[i] == byte(n) { // larger counters include other keys
			block[i]++
		}
	}
	_, _ = c.file.WriteAt(block[:], off)
	return n + 1
}

func least(block *[demandBlock]byte, at [4]int) int {
	return int(min(block[at[0]], block[at[1]], block[at[2]], block[at[3]]))
}

// passed adds n to the number of requests, and returns how many there were since the last halving.
func (c demand) passed(n int) int {
	var head [8]byte
	if _, err := c.file.ReadAt(head[:], 0); err != nil {
		return 0
	}
	all := binary.LittleEndian.Uint64(head[:]) + uint64(n)
	binary.LittleEndian.PutUint64(head[:], all)
	_, _ = c.file.WriteAt(head[:], 0)
	return int(all)
}

// halve halves all counters, so that old requests count less than recent ones.
func (c demand) halve() {
	all := make([]byte, demandBytes)
	if _, err := c.file.ReadAt(all, 0); err != nil {
		return
	}
	clear(all[:demandHead])
	for i := demandHead; i < len(all); i++ {
		all[i] /= 2
	}
	_, _ = c.file.WriteAt(all, 0)
}
