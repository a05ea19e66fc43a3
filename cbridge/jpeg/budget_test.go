package jpeg_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// A call that is late by the clock goes on while it has processor time left, and calls after it have the rest.
func TestBudgetOfLateCalls(t *testing.T) {
	ctx, budget := call.WithBudget(t.Context(), 200*time.Millisecond, 1)
	defer budget.End()
	pixels := make([]byte, 256*256*3)
	encode := func() error {
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		defer c.Leave()
		for atomic.LoadInt32((*int32)(c.Flag())) == 0 { // until half of the limit has passed
			runtime.Gosched()
		}
		assert.NoError(t, c.Err())
		if _, err = jpeg.Encode(c, pixels, 256, 256, 3, jpeg.EncodeOptions{}); err != nil {
			assert.ErrorIs(t, c.Err(), spool.ErrTimeout)
		}
		return err
	}
	done := 0
	for err := encode(); ; err = encode() { // each takes less than a millisecond
		if err != nil {
			require.ErrorIs(t, err, spool.ErrTimeout)
			break
		}
		done++
	}
	assert.Positive(t, done)
}

// Calls that run at the same time share a budget: what one has used is missing for the other.
func TestBudgetOfCallsAtOnce(t *testing.T) {
	ctx, budget := call.WithBudget(t.Context(), 20*time.Millisecond, 2)
	defer budget.End()
	var calls [2]*call.Call
	for i := range calls {
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		defer c.Leave()
		calls[i] = c
	}
	for !calls[1].Late() {
		runtime.Gosched()
	}
	pixels := make([]byte, 256*256*3)
	encode := func(c *call.Call) (err error) {
		_, err = jpeg.Encode(c, pixels, 256, 256, 3, jpeg.EncodeOptions{})
		return err
	}
	for encode(calls[0]) == nil {
	}
	require.ErrorIs(t, calls[0].Err(), spool.ErrTimeout)
	require.Error(t, encode(calls[1]))
	require.ErrorIs(t, calls[1].Err(), spool.ErrTimeout)
}
