package kernels_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

func TestSpinnerTakesItsTime(t *testing.T) {
	d := newDevice(t)
	s, err := kernels.LoadSpinner(d.Context)
	require.NoError(t, err)
	memory, err := d.Alloc(16)
	require.NoError(t, err)
	host := make([]byte, 16)
	require.NoError(t, d.ToDevice(memory, host, d.stream))
	require.NoError(t, d.Finish(d.stream))
	begin := time.Now()
	for range 5 {
		require.NoError(t, s.Spin(d.stream, memory, memory+8, 2*time.Millisecond))
	}
	require.NoError(t, d.Finish(d.stream))
	assert.GreaterOrEqual(t, time.Since(begin), 10*time.Millisecond)
	require.NoError(t, d.Free(memory))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
}
