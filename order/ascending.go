package order

import (
	"math/bits"
	"sync/atomic"
)

// ascending is an ascending list of numbers, coded by Elias and Fano: the low bits of each number, and the high bits as
// distances in unary. It takes about 2 bits a number more than the logarithm of the mean distance.
type ascending struct {
	low, high []uint64
	width     uint  // of the low bits
	marks     []int // the bit in high of each number whose position is a multiple of markEvery
}

// markEvery bounds how many numbers at counts through.
const markEvery = 256

// newAscending returns a list of n numbers below a bound. The caller sets all of them with runs, also at the same time,
// and calls index.
func newAscending(n int, bound uint64) *ascending {
	a := &ascending{}
	if n == 0 {
		return a
	}
	a.width = uint(max(bits.Len64(bound/uint64(n)), 1) - 1)
	a.low = make([]uint64, uint64(n)*uint64(a.width)/64+2) // with a word that get looks at
	a.high = make([]uint64, (uint64(n)+bound>>a.width)/64+1)
	return a
}

// run sets successive numbers of a list. It keeps the bits of the last words until it goes on to others, because runs
// that meet within a word write it at the same time, which is slow.
type run struct {
	at        int // where the next number goes
	low, high uint64
	word      uint64 // that high belongs to
}

// set sets the next number of a run.
func (a *ascending) set(r *run, x uint64) {
	bit := uint64(r.at) * uint64(a.width)
	shift, low := uint(bit%64), x&(1<<a.width-1)
	r.low |= low << shift
	if shift+a.width >= 64 {
		atomic.OrUint64(&a.low[bit/64], r.low)
		r.low = low >> (64 - shift)
	}
	one := x>>a.width + uint64(r.at)
	if one/64 != r.word {
		a.endHigh(r)
		r.word = one / 64
	}
	r.high |= 1 << (one % 64)
	r.at++
}

// end writes the bits that a run has kept.
func (a *ascending) end(r *run) {
	if r.low != 0 {
		atomic.OrUint64(&a.low[uint64(r.at)*uint64(a.width)/64], r.low)
		r.low = 0
	}
	a.endHigh(r)
}

func (a *ascending) endHigh(r *run) {
	if r.high != 0 {
		atomic.OrUint64(&a.high[r.word], r.high)
		r.high = 0
	}
}

// index completes a list whose numbers are set.
func (a *ascending) index() {
	n := 0
	for i, word := range a.high {
		ones := bits.OnesCount64(word)
		for next := (n + markEvery - 1) / markEvery * markEvery; next < n+ones; next += markEvery {
			a.marks = append(a.marks, 64*i+nth(word, next-n))
		}
		n += ones
	}
}

// get returns the number at a position.
func (a *ascending) get(at int) uint64 {
	bit, skip := a.marks[at/markEvery], at%markEvery
	i := bit / 64
	word := a.high[i] &^ (1<<(bit%64) - 1)
	for ones := bits.OnesCount64(word); skip >= ones; ones = bits.OnesCount64(word) {
		skip -= ones
		i++
		word = a.high[i]
	}
	high := uint64(64*i+nth(word, skip)) - uint64(at)
	k, shift := uint64(at)*uint64(a.width)/64, uint(uint64(at)*uint64(a.width)%64)
	low := a.low[k]>>shift | a.low[k+1]<<(64-shift) // no bits if shift is 0
	return high<<a.width | low&(1<<a.width-1)
}

// nth returns the position of a one of a word, counted from 0.
func nth(word uint64, n int) int {
	for range n {
		word &= word - 1
	}
	return bits.TrailingZeros64(word)
}
