package pipe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
)

// kill is one random pipeline and the moment that ends it.
type kill struct {
	*rand.Rand
	stock  *stock
	ctx    context.Context
	cancel context.CancelCauseFunc
	pace   func(ctx context.Context, n int) error // takes some time, or ends early with ctx's error
	later  func(func())                           // calls a function at a random moment
	quiet  func()                                 // waits until nothing started by later is running
}

var errKilled = errors.New("killed")

// crate is a batch that owns its items.
type crate struct{ items []*item }

func (c *crate) Release() {
	for _, i := range c.items {
		i.Release()
	}
}

// crates collects items into crates.
type crates struct {
	size int
	open crate
}

func (c *crates) Add(_ context.Context, i *item) (*crate, bool, error) {
	if i.n%41 == 40 {
		return nil, false, errors.New("does not fit")
	}
	c.open.items = append(c.open.items, i)
	if len(c.open.items) < c.size {
		return nil, false, nil
	}
	return c.Flush(context.Background())
}

func (c *crates) Flush(context.Context) (*crate, bool, error) {
	full := c.open
	c.open = crate{}
	return &full, len(full.items) > 0, nil
}

func (c *crates) Release() { c.open.Release() }

// run builds a random pipeline, ends it at a random moment in a random way, and checks the result. Every item was
// released exactly once or delivered exactly once, in order if the stages are Ordered, and nothing is left running.
func (k *kill) run(t *testing.T) {
	const (
		toTheEnd = iota
		byCancel
		byCancelInStage
		byBreak
		byFailure
		bySource
		byBudget
		endings
	)
	ending := k.IntN(endings)
	items := k.IntN(300)
	moment := k.IntN(items + 1) // its unit depends on the ending
	asCompleted := k.IntN(2) == 1
	failures, replaced := k.IntN(2) == 0, k.IntN(2) == 0
	before := runtime.NumGoroutine()

	options := pipe.Options{OnFailure: pipe.Skip}
	switch ending {
	case byFailure:
		options.OnFailure = pipe.Fail
	case byBudget:
		options.MaxFailures = 1 + k.IntN(3)
	}
	if replaced {
		options.Replace = func(_ context.Context, x any, _ *pipe.Failure) any {
			i := x.(*item)
			switch i.n / 17 % 3 {
			case 0:
				return i
			case 1:
				defer i.Release()
				return k.stock.make(i.n)
			}
			return nil
		}
	}
	p := pipe.New(options)
	broken := errors.New("broken")
	flow := pipe.From(p, "source", func(yield func(*item, error) bool) {
		for n := range items {
			if ending == bySource && n == moment {
				yield(nil, broken)
				return
			}
			if !yield(k.stock.make(n), nil) {
				return
			}
		}
	})
	var events, running atomic.Int64
	stages := 1 + k.IntN(3)
	for n := range stages {
		flow = pipe.Map(flow, fmt.Sprint("map ", n),
			pipe.Stage{Workers: 1 + k.IntN(64), Queue: k.IntN(20), AsCompleted: asCompleted},
			func(ctx context.Context, i *item) (*item, error) {
				running.Add(1)
				defer running.Add(-1)
				if ending == byCancelInStage && events.Add(1) == int64(moment) {
					k.cancel(errKilled)
				}
				if err := k.pace(ctx, i.n); err != nil {
					return nil, err
				}
				if failures && n == 0 && i.n%17 == 16 {
					if i.n%2 == 0 {
						panic("seventeen")
					}
					return nil, errors.New("seventeen")
				}
				return i, nil
			})
	}
	if ending == byCancel {
		k.later(func() { k.cancel(errKilled) })
	}
	var delivered []int
	size := 1 + k.IntN(40)
	var last error
	for c, err := range pipe.Collate(flow, "crates", pipe.Stage{}, &crates{size: size}).All(k.ctx) {
		require.NoError(t, last)
		if last = err; err != nil {
			continue
		}
		for _, i := range c.items {
			delivered = append(delivered, i.n)
		}
		c.Release()
		if k.IntN(4) == 0 {
			p.Report()
		}
		if ending == byBreak && len(delivered) >= moment {
			break
		}
	}

	assert.Zero(t, running.Load())
	k.stock.checkReleased(t)
	k.quiet()
	checkGoroutines(t, before)
	if !asCompleted {
		assert.IsIncreasing(t, append([]int{-2, -1}, delivered...))
	}
	slices.Sort(delivered)
	assert.Len(t, slices.Compact(slices.Clone(delivered)), len(delivered), "nothing is delivered twice")

	all := items
	switch {
	case errors.Is(last, errKilled):
		assert.Contains(t, []int{byCancel, byCancelInStage}, ending)
		return
	case ending == byBreak && len(delivered) >= moment:
		assert.NoError(t, last)
		return
	case ending == byFailure && last != nil:
		var f *pipe.Failure
		assert.ErrorAs(t, last, &f)
		return
	case ending == byBudget && last != nil:
		assert.ErrorIs(t, last, pipe.ErrTooManyFailures)
		return
	case ending == bySource && last != nil:
		assert.Equal(t, broken, last)
		all = moment
	default:
		require.NoError(t, last)
	}
	// The run came to its regular end, so no item may be missing.
	var want []int
	for n := range all {
		if n%41 != 40 && (!failures || n%17 != 16 || replaced && n/17%3 < 2) {
			want = append(want, n)
		}
	}
	assert.Equal(t, want, delivered)
}

func kills(t *testing.T, round func(t *testing.T, k *kill)) {
	seed := seed.Of(t)
	for n := range short.Of[uint64](1000, 150) {
		round(t, &kill{Rand: rand.New(rand.NewPCG(seed, n)), stock: &stock{}})
		if t.Failed() {
			t.Fatalf("seed %d, round %d", seed, n)
		}
	}
}

// TestKill runs in simulated time: the moments are exact, a deadlock is found at once, and a goroutine that remains
// fails the test.
func TestKill(t *testing.T) {
	kills(t, func(t *testing.T, k *kill) {
		bubble.Test(t, func(t *testing.T) {
			k.ctx, k.cancel = context.WithCancelCause(t.Context())
			defer k.cancel(nil)
			deaf, seed := k.IntN(4) == 0, k.Uint64()
			k.pace = func(ctx context.Context, n int) error {
				if deaf {
					ctx = context.Background()
				}
				select {
				case <-time.After(serviceTime(seed, n)):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			k.later = func(f func()) { time.AfterFunc(time.Duration(k.IntN(50_000))*time.Microsecond, f) }
			k.quiet = synctest.Wait
			k.run(t)
		})
	})
}

// TestKillInRealTime runs the same in real time, to find races.
func TestKillInRealTime(t *testing.T) {
	kills(t, func(t *testing.T, k *kill) {
		k.ctx, k.cancel = context.WithCancelCause(t.Context())
		defer k.cancel(nil)
		seed := k.Uint64()
		k.pace = func(ctx context.Context, n int) error {
			yields(int(serviceTime(seed, n) / (100 * time.Microsecond)))
			return ctx.Err()
		}
		var later sync.WaitGroup
		k.later = func(f func()) {
			n := k.IntN(1000)
			later.Go(func() {
				yields(n)
				f()
			})
		}
		k.quiet = later.Wait
		k.run(t)
	})
}

func yields(n int) {
	for range n {
		runtime.Gosched()
	}
}

// checkGoroutines gives goroutines that are done a moment to end. On a busy machine a moment is long, and a bubble has
// no clock for it, so it counts calls.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 300_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before, "goroutines")
}
