package table

import (
	"context"
	"runtime"
	"sync"
)

// RunRows is the most rows of a run: a multiple of 64.
const RunRows = 4096

// Runs returns the number of runs into which Together divides n rows.
func Runs(n int) int { return (n + RunRows - 1) / RunRows }

// Together calls each for all runs of n rows, several at a time. It returns the error of the first run that has one, or
// that of ctx.
func Together(ctx context.Context, n int, each func(run, from, to int) error) error {
	errs := make([]error, Runs(n))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for run := range errs {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			errs[run] = each(run, run*RunRows, min(n, (run+1)*RunRows))
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
