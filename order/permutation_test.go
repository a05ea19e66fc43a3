package order_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/order"
)

// uniform is the bound for chiSquare. Uniform numbers exceed it about once in fifteen thousand times. The seeds are
// fixed, so the result of a test does not change.
const uniform = 4.0

func TestSequential(t *testing.T) {
	var o order.Bijection = order.Sequential(3)
	assert.Equal(t, 3, o.Len())
	for i := range 3 {
		assert.Equal(t, i, o.At(i))
		assert.Equal(t, i, o.IndexOf(i))
	}
}

func TestPermutationIsBijection(t *testing.T) {
	for n := range 600 {
		p := order.NewPermutation(n, 1, uint64(n))
		require.Equal(t, n, p.Len())
		seen := make([]bool, n)
		for i := range n {
			v := p.At(i)
			require.False(t, seen[v], "n %d: %d comes twice", n, v)
			seen[v] = true
			require.Equal(t, i, p.IndexOf(v), "n %d", n)
		}
	}
}

func TestPermutationOfLargeSets(t *testing.T) {
	r := seed.Rand(t)
	sizes := []int{math.MaxInt, math.MaxInt - 1, 1 << 32, 1<<32 + 1, 1<<62 - 1, 3037000499 * 3037000499}
	for range 200 {
		sizes = append(sizes, 1+r.IntN(math.MaxInt>>r.IntN(50)))
	}
	for _, n := range sizes {
		p := order.NewPermutation(n, r.Uint64(), r.Uint64())
		for range 50 {
			i := r.IntN(n)
			v := p.At(i)
			require.True(t, 0 <= v && v < n, "n %d: At(%d) = %d", n, i, v)
			require.Equal(t, i, p.IndexOf(v), "n %d", n)
		}
	}
}

func TestPermutationOfManyElements(t *testing.T) {
	const n = 300_007
	p := order.NewPermutation(n, 5, 2)
	seen := make([]bool, n)
	for i := range n {
		v := p.At(i)
		require.False(t, seen[v])
		seen[v] = true
	}
}

// TestPermutationUniform checks that over many seeds, each of the n! permutations comes equally often.
func TestPermutationUniform(t *testing.T) {
	for n, factorial := 2, 2; n <= 6; n, factorial = n+1, factorial*(n+1) {
		counts := make([]int, factorial)
		for seed := range 500 * factorial {
			p := order.NewPermutation(n, uint64(seed), 0)
			counts[rank(p)]++
		}
		assert.Less(t, math.Abs(chiSquare(counts, factorial-1)), uniform, "n %d", n)
	}
}

// rank returns the index of a permutation among the n! of its size, by Lehmer's code.
func rank(p order.Bijection) int {
	ids := make([]int, p.Len())
	for i := range ids {
		ids[i] = p.At(i)
	}
	number := 0
	for i, id := range ids {
		smaller := 0
		for _, later := range ids[i+1:] {
			if later < id {
				smaller++
			}
		}
		number = number*(len(ids)-i) + smaller
	}
	return number
}

// TestPermutationPositions checks that over many epochs of one seed, each id comes equally often at each position. The
// distance between neighbors takes each value equally often.
func TestPermutationPositions(t *testing.T) {
	for _, n := range []int{7, 8, 9, 10, 13, 16, 17, 25, 31, 32, 49, 64, 100} {
		at := make([]int, n*n)
		distance := make([]int, n-1)
		for epoch := range 100 * n {
			p := order.NewPermutation(n, 7, uint64(epoch))
			previous := p.At(n - 1)
			for i := range n {
				v := p.At(i)
				at[i*n+v]++
				distance[(v-previous+n)%n-1]++
				previous = v
			}
		}
		assert.Less(t, math.Abs(chiSquare(at, (n-1)*(n-1))), uniform, "positions, n %d", n)
		assert.Less(t, math.Abs(chiSquare(distance, n-2)), uniform, "distances, n %d", n)
	}
}

// TestPermutationKeys checks that seed, epoch and length each change the permutation.
func TestPermutationKeys(t *testing.T) {
	first := func(n int, seed, epoch uint64) (ids [16]int) {
		p := order.NewPermutation(n, seed, epoch)
		for i := range ids {
			ids[i] = p.At(i)
		}
		return ids
	}
	seen := map[[16]int]bool{}
	for _, n := range []int{1000, 1001} {
		for _, seed := range []uint64{0, 1, 1 << 63} {
			for _, epoch := range []uint64{0, 1, 1 << 63} {
				seen[first(n, seed, epoch)] = true
			}
		}
	}
	assert.Len(t, seen, 18)
}

func TestIndexOutOfRangePanics(t *testing.T) {
	for _, o := range []order.Bijection{order.Sequential(3), order.NewPermutation(3, 0, 0),
		order.NewPermutation(0, 0, 0)} {
		for _, i := range []int{-1, o.Len(), math.MaxInt, math.MinInt} {
			assert.Panics(t, func() { o.At(i) })
			assert.Panics(t, func() { o.IndexOf(i) })
		}
	}
	assert.Panics(t, func() { order.NewPermutation(-1, 0, 0) })
}

func BenchmarkPermutationNew(b *testing.B) {
	for b.Loop() {
		order.NewPermutation(1_281_167, 1, 2)
	}
}

func BenchmarkPermutationAt(b *testing.B) {
	p := order.NewPermutation(1_281_167, 1, 2)
	i := 0
	for b.Loop() {
		if i = p.At(i) + 1; i >= p.Len() {
			i = 0
		}
	}
}
