// Package parts passes the calls of C, and other parts of the work on an item, to the observer of its worker.
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
