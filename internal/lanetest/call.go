package lanetest

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Enter starts a call that ends with the test.
func Enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	if err != nil { // testify would dominate a fuzz target's time
		t.Fatal(err)
	}
	t.Cleanup(c.Leave)
	return c
}

// Within does work in a new call, which is cancelled by the given poll of its flag. 0 does not cancel.
func Within[T any](t testing.TB, looks int32, work func(c *call.Call) (T, error)) (T, error) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	if looks > 0 {
		*(*int32)(c.Flag()) = -looks
	}
	return work(c)
}

// Ended returns a call whose context was cancelled or has timed out. The call ends with the test.
func Ended(t testing.TB, timeout bool) *call.Call {
	t.Helper()
	for d := time.Millisecond; ; d *= 2 { // a short timeout may pass before Enter
		ctx, end := context.WithCancel(t.Context())
		if timeout {
			ctx, end = context.WithTimeout(t.Context(), d)
		}
		c, err := call.Enter(ctx, 1)
		if err != nil {
			end()
			continue
		}
		if !timeout {
			end()
		}
		for c.Err() == nil {
			runtime.Gosched()
		}
		end()
		t.Cleanup(c.Leave)
		return c
	}
}

// RequireClass fails for errors that no input may cause.
func RequireClass(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, spool.ErrInternal) || spool.ClassOf(err) == "" {
		t.Fatalf("not an error of the input: %v", err)
	}
}
