package predicate

import (
	"context"
	"runtime"
	"sync"
)

// partRows is how many rows are examined in succession.
const partRows = 4096

// parts returns how many parts n rows have.
func parts(n int) int { return (n + partRows - 1) / partRows }

// together calls each for all parts of n rows, several at a time. It returns the error of the first part that has one.
func together(ctx context.Context, n int, each func(part, from, to int) error) error {
	errs := make([]error, parts(n))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for part := range errs {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[part] = each(part, part*partRows, min(n, (part+1)*partRows))
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
