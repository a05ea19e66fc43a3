package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
)

// TestShare checks that the memory stays valid until both owners have released the batch.
func TestShare(t *testing.T) {
	pool := newPool(t, 5, 2)
	a := newAssembler(t, batch.AssemblerOptions{Size: 1, Pool: pool})
	s, err := a.Slot(t.Context(), 0)
	require.NoError(t, err)
	write(s, 7)
	b := a.Add(s, batch.Sample{ID: 7})[0]
	shared := b.Retain()
	shared.Epoch = 3
	require.Zero(t, b.Epoch)
	b.Release()
	require.Equal(t, []int64{7}, ids(t, shared))
	shared.Release()
	require.Zero(t, pool.Stats().Buffers)
}
