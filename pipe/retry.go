package pipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Retry is which items are tried again when a stage's function fails, and when. A panic is never tried again, because
// it may leave an undefined state.
//
// The pause before an attempt is uniformly random between zero and a bound that doubles with each attempt ("full
// jitter"). So items that failed together are not retried together: M. Brooker, Exponential Backoff And Jitter, AWS
// Architecture Blog, 2015. The worker waits, so a stage whose workers all wait puts less load on what is overloaded.
type Retry struct {
	// Attempts is the total number of attempts for an item. 0 and 1 mean no retry.
	Attempts int
	// Backoff is the bound of the first pause. 0 means 100 ms.
	Backoff time.Duration
	// MaxBackoff is the largest bound. 0 means 30 s.
	MaxBackoff time.Duration
	// If returns whether an error is worth a retry. If it is nil, errors are retried that have, or wrap an error that has,
	// a method Retryable() bool that returns true. *TimeoutError is one.
	If func(error) bool
}

// again returns whether an item that has failed n times, the last time with err, is tried again.
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

// pause waits before attempt n+1. It returns false if the context ends meanwhile.
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

// TimeoutError is the failure of an item whose function took longer than Stage.Timeout.
type TimeoutError struct {
	After time.Duration // Stage.Timeout
	Err   error         // the error that the function returned
}

// Error returns the timeout and the function's error.
func (e *TimeoutError) Error() string { return fmt.Sprintf("not done after %v: %v", e.After, e.Err) }

// Unwrap returns the function's error.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Timeout returns true, like timeout errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

// Retryable returns true: another attempt may be faster.
func (e *TimeoutError) Retryable() bool { return true }
