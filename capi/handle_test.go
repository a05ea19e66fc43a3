package main

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// thing is the value of a handle.
type thing struct {
	calls  atomic.Int64
	closed atomic.Int64
}

func (t *thing) Close() error {
	t.closed.Add(t.calls.Load() + 1)
	return nil
}

// When several threads use and release a handle concurrently, its value is closed once, and while no thread uses it. A
// shared library does not run under the race detector, so this test checks what its threads share.
func TestHandleIsClosedOnce(t *testing.T) {
	for range 200 {
		v := new(thing)
		number := register(v)
		var gaveUp, used atomic.Int64
		var threads sync.WaitGroup
		for i := range 8 {
			threads.Go(func() {
				if i%4 == 3 {
					if release[*thing](number) == nil {
						gaveUp.Add(1)
					}
					return
				}
				for {
					err := use(number, func(ctx context.Context, v *thing) error {
						v.calls.Add(1)
						defer v.calls.Add(-1)
						assert.Zero(t, v.closed.Load())
						used.Add(1)
						if i == 0 {
							<-ctx.Done() // closing the handle ends this
						}
						return ctx.Err()
					})
					if err != nil {
						return
					}
				}
			})
		}
		threads.Wait()
		require.EqualValues(t, 1, gaveUp.Load())
		require.EqualValues(t, 1, v.closed.Load())
		_, _, err := find[*thing](number)
		require.ErrorIs(t, err, spool.ErrClosed)
	}
}

// A panic is an internal error with a stack trace.
func TestProtect(t *testing.T) {
	err := protect(func() error { panic("no such luck") })
	require.ErrorIs(t, err, spool.ErrInternal)
	assert.ErrorContains(t, err, "no such luck")
	assert.ErrorContains(t, err, "handle_test.go")
	status, name := classify(err)
	assert.EqualValues(t, 36, status)
	assert.Equal(t, "internal", name)
}

// All classes of bad input have distinct statuses, in the order of the command's documentation.
func TestCodes(t *testing.T) {
	for i, class := range []spool.Class{spool.ErrNotFound, spool.ErrNotAFile, spool.ErrPermission, spool.ErrEmpty,
		spool.ErrNotMedia, spool.ErrUnsupported,
		spool.ErrTruncated, spool.ErrCorrupt, spool.ErrTooLarge, spool.ErrNoSuchFrame, spool.ErrIO, spool.ErrTimeout,
		spool.ErrCanceled, spool.ErrDevice} {
		status, name := classify(&spool.Error{Class: class})
		assert.EqualValues(t, i+1, status)
		assert.Equal(t, string(class), name)
	}
	status, _ := classify(assert.AnError)
	assert.EqualValues(t, 36, status, "what has no class is a bug")
}
