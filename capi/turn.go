package main

import "context"

// turn lets one call at a time use what belongs to one goroutine at a time. Others wait with their contexts.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil { // of two that are ready, select takes any
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
