package order

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A list returns the numbers that were set, whatever their distances, if runs of them are set at the same time.
func TestAscending(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 63, 64, 255, 256, 257, 5000} {
		for _, bound := range []uint64{1, 7, 300, 1 << 20, 1<<40 + 3, 1<<64 - 1} {
			want := make([]uint64, n)
			for i := range want {
				want[i] = rng.Uint64N(bound)
				if i%3 == 0 {
					want[i] = min(want[i], bound/100) // dense in places
				}
			}
			slices.Sort(want)
			a := newAscending(n, bound)
			var all sync.WaitGroup
			for from := 0; from < n; { // runs that begin anywhere in a word
				part := want[from:min(n, from+1+rng.IntN(200))]
				r := run{at: from}
				all.Go(func() {
					for _, x := range part {
						a.set(&r, x)
					}
					a.end(&r)
				})
				from += len(part)
			}
			all.Wait()
			a.index()
			for at, x := range want {
				require.Equal(t, x, a.get(at), "%d of %d below %d", at, n, bound)
			}
		}
	}
}

// The table of a thousand classes takes less than 12.5 bits a sample, and that of one class 2.3.
func TestClassesMemory(t *testing.T) {
	const n = 1 << 18
	for classes, most := range map[int]float64{1: 2.3, 1000: 12.5} {
		c := NewClasses(n, func(id int) int64 { return int64(id * 7919 % classes) })
		words := len(c.ids.low) + len(c.ids.high) + len(c.ids.marks)
		assert.Less(t, float64(64*words)/n, most)
	}
}
