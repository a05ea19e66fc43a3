package pipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Retry says which items are tried again when a stage's function fails on them, and when. A panic is
// never tried again: what it left behind is not known.
//
// The pause before a try is drawn evenly from zero to a bound that doubles with each try ("full
// jitter"), so that those who failed together do not come back together: M. Brooker, Exponential
// Backoff And Jitter, AWS Architecture Blog, 2015. The worker waits; a stage whose workers all wait
// asks less of what is overloaded.
type Retry struct {
	// Attempts is how often an item is tried in all. 0 and 1 mean once.
	Attempts int
	// Backoff is the bound of the first pause. 0 means 100 ms.
	Backoff time.Duration
	// MaxBackoff is the largest bound. 0 means 30 s.
	MaxBackoff time.Duration
	// If says whether an error is worth another try. If nil, it is when the error, or one that it
	// wraps, has a method Retryable() bool that says so; a *TimeoutError does.
	If func(error) bool
}

// again says whether an item that failed n times, the last time with err, is tried again.
func (r *Retry) again(n int, err error) bool {
	if n >= r.Attempts {
		return false
	}
	if panicked := (*PanicError)(nil); errors.As(err, &panicked) {
		return false
	}
	if r.If != nil {
		return r.If(err)
	}
	var says interface {
		error
		Retryable() bool
	}
	return errors.As(err, &says) && says.Retryable()
}

// pause waits before try n+1. It is false when the context ends meanwhile.
func (r *Retry) pause(ctx context.Context, n int) bool {
	bound, most := r.Backoff, r.MaxBackoff
	if bound == 0 {
		bound = 100 * time.Millisecond
	}
	if most == 0 {
		most = 30 * time.Second
	}
	for range n - 1 {
		if bound >= most {
			break
		}
		bound *= 2
	}
	bound = min(bound, most)
	timer := time.NewTimer(rand.N(bound + 1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// TimeoutError is the failure of an item whose function took longer than its stage allows.
type TimeoutError struct {
	After time.Duration // Stage.Timeout
	Err   error         // what the function returned then
}

// Error says how long the item was given.
func (e *TimeoutError) Error() string { return fmt.Sprintf("not done after %v: %v", e.After, e.Err) }

// Unwrap gives what the function returned.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Timeout is true, as of the errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

// Retryable is true: another try may find the way free.
func (e *TimeoutError) Retryable() bool { return true }
