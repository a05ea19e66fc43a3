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

// Enter is a call that ends with the test.
func Enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	if err != nil { // testify would take a good part of a fuzz target's time
		t.Fatal(err)
	}
	t.Cleanup(c.Leave)
	return c
}

// Within does work within a call of its own, which is cancelled by the given look at its flag; 0 is never.
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

// Ended is a call whose context has been cancelled, or has timed out. It ends with the test.
func Ended(t testing.TB, timeout bool) *call.Call {
	t.Helper()
	for d := time.Millisecond; ; d *= 2 { // a short one may pass before the entry
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

// RequireClass fails for errors that no input may bring.
func RequireClass(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, spool.ErrInternal) || spool.ClassOf(err) == "" {
		t.Fatalf("not an error of the input: %v", err)
	}
}
