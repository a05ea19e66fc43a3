package order

import (
	"fmt"
	"math"
	"math/bits"
)

// Permutation is a pseudo-random bijection of [0, n) that is computed, not stored. Its size does not depend on n, and
// any position can be queried directly, as needed for resuming and for ranks.
//
// A number is split into two digits of radix a = ceil(sqrt(n)) and b = ceil(n/a). Each round of a Feistel network adds
// a keyed function of one digit to the other. This permutes [0, a*b). A result of n or more is permuted again until it
// is below n ("cycle walking"). Both methods are from Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA
// 2002. Because a*b exceeds n by less than a, a walk of more than one step is rare.
//
// In the tests, all n! permutations come equally often. If n is the square of an odd number, only the even permutations
// occur, equally often.
type Permutation struct {
	n, a, b uint64
	keys    [rounds]uint64
}

// rounds is a multiple of four: both digits are changed equally often, and keys come in blocks of four. Four rounds
// make large digits look random (Luby and Rackoff, SIAM J. Comput. 17, 1988). Digits of two or three values need more
// rounds, until all n! permutations of a small n come equally often. TestPermutationUniform fails with 16 rounds.
const rounds = 24

// NewPermutation returns the permutation of [0, n) for a seed and an epoch. It panics if n is negative.
func NewPermutation(n int, seed, epoch uint64) *Permutation {
	p := newPermutation(n, [2]uint64{seed, streamPermutation}, epoch, 0)
	return &p
}

// newPermutation returns the permutation for a key and two numbers.
func newPermutation(n int, key [2]uint64, x, y uint64) Permutation {
	if n < 0 {
		panic(fmt.Sprintf("order: permutation of %d elements", n))
	}
	p := Permutation{n: uint64(n), a: max(1, ceilSqrt(uint64(n)))}
	p.b = max(1, (p.n+p.a-1)/p.a)
	for i := 0; i < rounds; i += 4 {
		block := philox([4]uint64{uint64(i / 4), x, p.n, y}, key)
		copy(p.keys[i:], block[:])
	}
	return p
}

// Len returns n.
func (p *Permutation) Len() int { return int(p.n) }

// At returns the id at position i. It takes about 100 ns.
func (p *Permutation) At(i int) int {
	checkIndex(i, int(p.n))
	for v := uint64(i); ; {
		if v = p.forward(v); v < p.n {
			return int(v)
		}
	}
}

// IndexOf returns the position of id. It takes as long as At.
func (p *Permutation) IndexOf(id int) int {
	checkIndex(id, int(p.n))
	for v := uint64(id); ; {
		if v = p.backward(v); v < p.n {
			return int(v)
		}
	}
}

func (p *Permutation) forward(v uint64) uint64 {
	l, r := v/p.b, v%p.b
	for i := 0; i < rounds; i += 2 {
		if l += keyed(p.keys[i], r, p.a); l >= p.a {
			l -= p.a
		}
		if r += keyed(p.keys[i+1], l, p.b); r >= p.b {
			r -= p.b
		}
	}
	return l*p.b + r
}

func (p *Permutation) backward(v uint64) uint64 {
	l, r := v/p.b, v%p.b
	for i := rounds - 2; i >= 0; i -= 2 {
		if r -= keyed(p.keys[i+1], l, p.b); r >= p.b { // wrapped below zero
			r += p.b
		}
		if l -= keyed(p.keys[i], r, p.a); l >= p.a {
			l += p.a
		}
	}
	return l*p.b + r
}

// keyed is a function of x into [0, n), different for each key. It is the finalizer of SplitMix64 (Steele, Lea and
// Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014), scaled by the high half of a product. For n
// below 2^32, scaling favors no value by more than 2^-32.
func keyed(key, x, n uint64) uint64 {
	x ^= key
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	hi, _ := bits.Mul64(x^x>>31, n)
	return hi
}

// ceilSqrt returns the smallest r with r*r >= n, for n below 2^63.
func ceilSqrt(n uint64) uint64 {
	r := uint64(math.Sqrt(float64(n))) // off by at most one above 2^52
	for r*r < n {
		r++
	}
	for r > 0 && (r-1)*(r-1) >= n {
		r--
	}
	return r
}
