package video_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
)

// Few runs are sorted by length, many keep the order of the file, and each worker has a minimum of packets.
func TestShares(t *testing.T) {
	one, workers := video.Shares([]index.Run{{First: 3, Last: 3}}, 8)
	assert.Len(t, one, 1)
	assert.Equal(t, 1, workers)
	none, workers := video.Shares(nil, 8)
	assert.Empty(t, none)
	assert.Equal(t, 1, workers)
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		var runs []index.Run
		packets, at := 0, 0
		for range 1 + rng.IntN(100) {
			r := index.Run{First: at, Last: at + rng.IntN(300)}
			packets, at = packets+r.Packets(), r.Last+2
			runs = append(runs, r)
		}
		asked := 1 + rng.IntN(6)
		shared, workers := video.Shares(slices.Clone(runs), asked)
		require.ElementsMatch(t, runs, shared)
		require.Equal(t, max(1, min(asked, packets/64, len(runs))), workers)
		if len(runs) > 16*workers {
			require.Equal(t, runs, shared)
		} else {
			require.True(t, slices.IsSortedFunc(shared, func(a, b index.Run) int { return b.Packets() - a.Packets() }))
		}
	}
}
