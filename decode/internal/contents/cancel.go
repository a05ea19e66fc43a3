package contents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spoolmedia/spool"
)

// grace is the time that a reader has to notice the end of its context.
const grace = 20 * time.Millisecond

var errAbandoned = errors.New("the reader did not return in time and was abandoned")

// ReadCancellable reads into p with a reader of a caller, until the context ends. With abandoned, the reader has not
// returned
// and may write to p at any later time.
func ReadCancellable(ctx context.Context, p []byte, read func(ctx context.Context, p []byte) (int, error)) (n int,
	abandoned bool, err error) {
	guarded := func() (n int, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				n, err = 0, fmt.Errorf("%w: the reader panicked: %v", spool.ErrIO, cause)
			}
		}()
		if n, err = read(ctx, p); n < 0 || n > len(p) {
			return 0, fmt.Errorf("%w: the reader returned %d bytes for a buffer of %d", spool.ErrIO, n, len(p))
		}
		return n, err
	}
	if ctx.Done() == nil {
		n, err = guarded()
		return n, false, err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := guarded()
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return got.n, false, got.err
	case <-ctx.Done():
	}
	select {
	case got := <-done:
		return got.n, false, got.err
	case <-time.After(grace):
		return 0, true, fmt.Errorf("%w: %w", errAbandoned, ctx.Err())
	}
}
