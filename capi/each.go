package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
)

// each is a call that decodes n sources in parallel.
type each struct {
	n, threads int
	failFast   bool // no source after a failed one is started
	decode     func(ctx context.Context, i int) error

	next   atomic.Int64
	failed atomic.Int64 // the first that failed
	errs   []error
}

// run decodes all sources, and returns the result of each. The returned error is that of the whole call.
func (e *each) run(ctx context.Context) ([]error, error) {
	e.errs = slices.Repeat([]error{spool.ErrCanceled}, e.n) // until they are started
	e.failed.Store(int64(e.n))
	var workers sync.WaitGroup
	for range min(e.threads, e.n) - 1 {
		workers.Go(func() { e.work(ctx) })
	}
	e.work(ctx) // this thread is one of the workers
	workers.Wait()
	if ctx.Err() != nil {
		return e.errs, ctx.Err()
	}
	for _, err := range e.errs {
		if isOfCall(err) {
			return e.errs, err
		}
	}
	if first := e.failed.Load(); first < int64(e.n) {
		return e.errs, e.errs[first]
	}
	return e.errs, nil
}

// work decodes sources in their order, so all before a failure are decoded.
func (e *each) work(ctx context.Context) {
	for {
		i := e.next.Add(1) - 1
		if i >= int64(e.n) || i > e.failed.Load() || ctx.Err() != nil {
			return
		}
		e.errs[i] = protect(func() error { return e.decode(ctx, int(i)) })
		if e.errs[i] == nil || !e.failFast {
			continue
		}
		for first := e.failed.Load(); i < first && !e.failed.CompareAndSwap(first, i); {
			first = e.failed.Load()
		}
	}
}
