package table_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/source/table"
)

// TestRowSet compares a set with a list of its rows.
func TestRowSet(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 511, 512, 513, 20_000} {
		for _, share := range []float64{0, 0.001, 0.5, 1} {
			random := rand.New(rand.NewPCG(uint64(n), uint64(share*1000)))
			words, want := make([]uint64, (n+63)/64), []int{}
			for k := range n {
				if random.Float64() < share {
					words[k/64] |= 1 << (k % 64)
					want = append(want, k)
				}
			}
			s := table.NewRowSet(words)
			assert.Equal(t, len(want), s.Len())
			got := []int{}
			for i := range s.Len() {
				got = append(got, s.At(i))
			}
			assert.Equal(t, want, got, "%d rows, share %v", n, share)
			assert.Equal(t, want, append([]int{}, slices.Collect(s.All())...))
			for k := range n {
				_, in := slices.BinarySearch(want, k)
				assert.Equal(t, in, s.Has(k))
			}
			assert.Panics(t, func() { s.At(len(want)) })
			assert.Panics(t, func() { s.At(-1) })
		}
	}
}
