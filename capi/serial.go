package main

import "context"

// serial lets one call at a time use a value that must not be used concurrently. Other calls wait until their contexts
// end.
type serial chan struct{}

func newSerial() serial { return make(serial, 1) }

func (t serial) do(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil { // select would choose either of two ready cases
		return err
	}
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}
