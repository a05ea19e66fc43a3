package decode_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
)

// No worker has more to do than another by more than one run, and none too little to be worth its handle.
func TestPortions(t *testing.T) {
	assert.Len(t, decode.Portions([]index.Run{{First: 3, Last: 3}}, 8), 1)
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		var runs []index.Run
		longest, at := 0, 0
		for range 1 + rng.IntN(20) {
			r := index.Run{First: at, Last: at + rng.IntN(300)}
			longest, at = max(longest, r.Packets()), r.Last+2
			runs = append(runs, r)
		}
		workers := 1 + rng.IntN(6)
		parts := decode.Portions(slices.Clone(runs), workers)
		require.LessOrEqual(t, len(parts), workers)
		var dealt []index.Run
		var loads []int
		for _, part := range parts {
			require.NotEmpty(t, part)
			load := 0
			for i, r := range part {
				require.True(t, i == 0 || part[i-1].Last < r.First)
				load += r.Packets()
			}
			dealt, loads = append(dealt, part...), append(loads, load)
		}
		require.ElementsMatch(t, runs, dealt)
		require.LessOrEqual(t, slices.Max(loads)-slices.Min(loads), longest)
	}
}
