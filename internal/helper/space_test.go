package helper_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/proc"
)

// limitSpace lets this process take so much more address space, until the test ends or restore is called.
func limitSpace(t *testing.T, more int64) (restore func()) {
	t.Helper()
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_AS, &before))
	size, _, err := proc.Memory()
	require.NoError(t, err)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: uint64(size + more), Max: before.Max}))
	restore = func() { assert.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &before)) }
	t.Cleanup(restore)
	return restore
}

// TestLimitedSpace limits the address space. A helper then has one task, and there are as many as have room.
func TestLimitedSpace(t *testing.T) {
	const area = 65 << 20 // of newPool
	restore := limitSpace(t, 2<<30+5*area/2)
	p := newPool(t, func(o *helper.Options) { o.Processes = 5 })
	restore()
	assert.Equal(t, 2, p.Capacity())

	limitSpace(t, 1<<30)
	p = newPool(t, func(o *helper.Options) { o.Processes = 5 })
	assert.Equal(t, 1, p.Capacity(), "at least one")
	reply, err := do(t.Context(), p, "echo", []byte("good"))
	require.NoError(t, err)
	assert.Equal(t, "4", reply)
}

func TestNoSpace(t *testing.T) {
	p := newPool(t)
	limitSpace(t, 512<<20)
	_, err := do(t.Context(), p, "echo", []byte("good"))
	require.ErrorIs(t, err, spool.ErrIO)
	require.ErrorIs(t, err, helper.ErrNotStarted)
	assert.ErrorContains(t, err, "the limit on address space (ulimit -v) leaves")
}
