package call_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
)

// A goroutine that is asked whether it is late stays on its thread until Leave. Otherwise the time of goroutines that
// the thread runs meanwhile would count.
func TestLateGoroutineKeepsItsThread(t *testing.T) {
	const locked = "[running, locked to thread]"
	ctx, budget := call.WithBudget(t.Context(), 1, 1)
	defer budget.End()
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	assert.NotContains(t, string(debug.Stack()), locked)
	for range 2 {
		assert.True(t, c.Late())
		assert.Contains(t, string(debug.Stack()), locked)
	}
	c.Leave()
	assert.NotContains(t, string(debug.Stack()), locked)
}
