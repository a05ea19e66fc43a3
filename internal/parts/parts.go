// Package parts passes the calls of C, other parts of the work on an item, and its waits for a turn, to the observer of
// its worker.
package parts

import (
	"context"
	"time"
)

// Func receives a part of the work on an item. It is safe for concurrent use.
type Func func(name string, begin, end time.Time)

type key struct{}

// With returns a context whose parts f receives.
func With(ctx context.Context, f Func) context.Context { return context.WithValue(ctx, key{}, f) }

// Of returns the function that receives the parts of a context, or nil.
func Of(ctx context.Context) Func {
	f, _ := ctx.Value(key{}).(Func)
	return f
}

type waits struct{}

// WithWaits returns a context whose waits f receives. It is called concurrently.
func WithWaits(ctx context.Context, f func(time.Duration)) context.Context {
	return context.WithValue(ctx, waits{}, f)
}

// Waited reports that the work on an item has waited since begin for its turn: other items had all places.
func Waited(ctx context.Context, begin time.Time) {
	if f, ok := ctx.Value(waits{}).(func(time.Duration)); ok {
		f(time.Since(begin))
	}
}
