// Package parts passes what happens inside the work on an item, such as calls of C, to who observes the item's worker.
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

// Of returns who receives the parts of a context; nil if nobody does.
func Of(ctx context.Context) Func {
	f, _ := ctx.Value(key{}).(Func)
	return f
}
