package cache

import (
	"encoding/binary"
	"io"
)

// demand counts how often keys were asked for lately: those that are kept, and those that are not, by all processes. It is
// a count-min sketch in a file, whose counters are halved now and then. Its numbers are guesses: two who count at a time may
// count once, and a key may get what belongs to others. Nothing but the choice of what is kept depends on them.
type demand struct {
	file interface {
		io.ReaderAt
		io.WriterAt
	}
}

// The file: counts since the last halving, then blocks of 64 counters, of which each key has four in one block.
const (
	demandHead   = 64
	demandBlock  = 64
	demandBlocks = 1 << 16
	demandBytes  = demandHead + demandBlock*demandBlocks
)

// places are where a key's counters lie: its block, and one in each quarter of it.
func places(d *digest) (block int64, at [4]int) {
	block = demandHead + demandBlock*int64(binary.LittleEndian.Uint64(d[:])%demandBlocks)
	for i := range at {
		at[i] = 16*i + int(d[8+i]&15)
	}
	return block, at
}

// of is how often a key was asked for.
func (c demand) of(d *digest) int {
	var block [demandBlock]byte
	off, at := places(d)
	if _, err := c.file.ReadAt(block[:], off); err != nil {
		return 0
	}
	return least(&block, at)
}

// add counts a key, and gives how often it was asked for.
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
		if block[i] == byte(n) { // the others have counted other keys as well
			block[i]++
		}
	}
	_, _ = c.file.WriteAt(block[:], off)
	return n + 1
}

func least(block *[demandBlock]byte, at [4]int) int {
	return int(min(block[at[0]], block[at[1]], block[at[2]], block[at[3]]))
}

// passed notes that so many keys were counted, and gives how many have been since the last halving.
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

// halve makes what was asked for long ago count less than what is asked for now.
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
