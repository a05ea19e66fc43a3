package batch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// TestOf checks the description of a batch of one sample, and that its memory returns to the pool.
func TestOf(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	buffer, err := pool.Get(context.Background(), 100)
	require.NoError(t, err)
	buffer.SetDesc(spool.Desc{Shape: spool.Shape{2, 3, 4}, DType: spool.Float32, Layout: spool.HWC})
	b := batch.FromBuffer(buffer, batch.Sample{ID: 7, Label: 3}, 1, 5)
	require.Equal(t, spool.Desc{Shape: spool.Shape{1, 2, 3, 4}, DType: spool.Float32, Layout: spool.NHWC}, b.Desc())
	require.Len(t, b.Bytes(), 96)
	require.Len(t, b.Slot(0), 96)
	require.Equal(t, []int{1, 0, 1, 5}, []int{b.Len(), b.Padded, b.Epoch, b.Index})
	require.Equal(t, []int64{3}, b.Labels())
	b.Release()
	require.NoError(t, pool.Close())
}
