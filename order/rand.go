package order

import (
	"fmt"
	"math/bits"
)

// Rand is an endless sequence of random numbers that depends only on (seed, epoch, occurrence, id, op). So the numbers
// of operation op for sample id do not depend on other operations or samples. A copy of a Rand continues at the same
// position of the sequence. A Rand is a math/rand/v2.Source.
type Rand struct {
	key     [2]uint64
	counter [4]uint64
	block   [4]uint64 // numbers of the last counter
	used    int       // how many numbers of block are used
}

// NewRand returns the random numbers of an operation on a sample that comes once in an epoch, which has occurrence 0.
// All 2^64 values of each argument give different sequences.
func NewRand(seed, epoch, id, op uint64) Rand {
	return Draw{Seed: seed, Epoch: epoch, ID: id}.Rand(op)
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	if r.used == len(r.block) {
		r.block = philox(r.counter, r.key)
		r.counter[0]++
		r.used = 0
	}
	u := r.block[r.used]
	r.used++
	return u
}

// Float64 returns a number in [0, 1): a multiple of 2^-53, all equally likely.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// IntN returns a number in [0, n), all equally likely. It panics if n is not positive. The method is from Lemire, Fast
// Random Integer Generation in an Interval, ACM TOMACS 2019. It seldom needs more than one Uint64.
func (r *Rand) IntN(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("order: IntN(%d)", n))
	}
	span := uint64(n)
	hi, lo := bits.Mul64(r.Uint64(), span)
	if lo < span {
		for biased := -span % span; lo < biased; {
			hi, lo = bits.Mul64(r.Uint64(), span)
		}
	}
	return int(hi)
}
