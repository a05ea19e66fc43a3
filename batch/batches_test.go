package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
)

// TestBatchesOfAnEpoch checks that an epoch with too few samples repeats its last batch up to the required number.
func TestBatchesOfAnEpoch(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		want := map[int]int{0: 3, 1: 2, 2: 1}
		a := newAssembler(t, batch.AssemblerOptions{Size: 2, Pool: newPool(t, 5, 2), Order: order,
			Batches: func(epoch int) int { return want[epoch] }})
		var got []*batch.Batch
		for epoch, good := range [][]bool{{true, false, true, false, true, false}, {false, false, false, false},
			{true, true}} {
			for i, ok := range good {
				s, err := a.Slot(t.Context(), epoch)
				require.NoError(t, err)
				if !ok {
					got = append(got, a.Fail(s)...)
					continue
				}
				write(s, int64(i))
				got = append(got, a.Add(s, batch.Sample{ID: int64(i)})...)
			}
		}
		got = append(got, a.Flush()...)
		type shape struct{ epoch, index, length, padded int }
		var shapes []shape
		for _, b := range got {
			shapes = append(shapes, shape{b.Epoch, b.Index, b.Len(), b.Padded})
			ids(t, b)
		}
		require.Equal(t, []shape{{0, 0, 2, 0}, {0, 1, 1, 0}, {0, 2, 1, 1}, {2, 0, 2, 0}}, shapes,
			"%v: of the second epoch there is nothing to give", order)
		require.Equal(t, ids(t, got[1]), ids(t, got[2]))
		for _, b := range got {
			b.Release()
		}
	}
}
