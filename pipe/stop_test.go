package pipe_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// endless yields items of a stock while they are wanted.
func endless(s *stock) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for n := 0; yield(s.make(n)); n++ {
		}
	}
}

// pass passes an item on after a millisecond.
func pass(ctx context.Context, i *item) (*item, error) {
	select {
	case <-time.After(time.Millisecond):
		return i, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestCancelIsYieldedLastAndOnce(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(enough) })

		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{Ledger: ledger})
		flow := pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 4}, pass)
		start := time.Now()
		var last error
		delivered := 0
		for i, err := range flow.All(ctx) {
			require.NoError(t, last)
			if last = err; err == nil {
				i.Release()
				delivered++
			}
		}
		assert.Equal(t, enough, last)
		assert.Equal(t, 100*time.Millisecond, time.Since(start), "everything stops at once")
		assert.Greater(t, delivered, 300)
		assert.Empty(t, ledger.Failures(), "an interrupted item has not failed")
		s.checkReleased(t)
	})
}

func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &stock{}
	p := pipe.New(pipe.Options{})
	flow := pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 4}, pass)
	results, err := collect(ctx, t, flow)
	assert.Equal(t, context.Canceled, err)
	assert.Empty(t, results)
	assert.Zero(t, s.made(), "the source is not even asked")
}

// Cancellation reaches a source that waits, by the context of FromFunc, and stages that wait for room while the
// consumer is busy.
func TestCancelReachesThoseWhoWait(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := pipe.New(pipe.Options{})
		src := pipe.FromFunc(p, "stuck", pipe.Stage{}, func(ctx context.Context) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				for n := range 20 {
					if !yield(s.make(n), nil) {
						return
					}
				}
				<-ctx.Done()
				yield(nil, ctx.Err())
			}
		})
		flow := pipe.Map(src, "pass", pipe.Stage{Workers: 2, Queue: 1}, pass)
		var last error
		delivered := 0
		for i, err := range flow.All(ctx) {
			if last = err; err != nil {
				continue
			}
			i.Release()
			synctest.Wait()
			cancel()
			delivered++
		}
		assert.Equal(t, context.Canceled, last)
		assert.Equal(t, 1, delivered, "although more was there")
		assert.Equal(t, 20, s.made())
		s.checkReleased(t)
	})
}

func TestBreakStopsAndWaitsForEverything(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		var running atomic.Int64
		p := pipe.New(pipe.Options{})
		flow := pipe.FromSeq(p, "endless", endless(s))
		for _, name := range []string{"one", "two"} {
			flow = pipe.Map(flow, name, pipe.Stage{Workers: 5}, func(_ context.Context, i *item) (*item, error) {
				running.Add(1)
				defer running.Add(-1)
				time.Sleep(time.Millisecond) // ignores its context
				return i, nil
			})
		}
		before := runtime.NumGoroutine()
		for batch, err := range pipe.Batch(flow, "batch", pipe.Stage{}, 3).All(t.Context()) {
			require.NoError(t, err)
			for _, i := range batch {
				i.Release()
			}
			break
		}
		assert.Zero(t, running.Load())
		s.checkReleased(t)
		checkGoroutines(t, before)
	})
}

// A break cancels functions that would run for an hour, and a source that waits, also through idle stages.
func TestBreakCancelsWhatIsUnderWay(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		src := pipe.FromFunc(p, "stuck", pipe.Stage{}, func(ctx context.Context) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				for n := range 6 {
					if !yield(s.make(n), nil) {
						return
					}
				}
				<-ctx.Done()
			}
		})
		one := pipe.Map(src, "one", pipe.Stage{Workers: 3}, pass)
		two := pipe.Map(one, "two", pipe.Stage{Workers: 3}, func(ctx context.Context, i *item) (*item, error) {
			if i.n < 4 {
				return i, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		for i, err := range two.All(t.Context()) {
			require.NoError(t, err)
			i.Release()
			synctest.Wait()
			break
		}
		s.checkReleased(t)
	})
}

// foreign is a context that package context does not know, and watches with a goroutine.
type foreign struct {
	context.Context
	done chan struct{}
}

func (c foreign) Done() <-chan struct{} { return c.done }

func TestNothingStaysWithTheContext(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		before := runtime.NumGoroutine()
		results, err := collect(foreign{t.Context(), make(chan struct{})}, t, pipe.FromSeq(p, "count", count(3)))
		require.NoError(t, err)
		assert.Len(t, results, 3)
		checkGoroutines(t, before)
	})
}

// patient waits for the end of its context with its third item.
type patient struct{ items int }

func (c *patient) Add(ctx context.Context, n int) (int, bool, error) {
	if c.items++; c.items == 3 {
		<-ctx.Done()
	}
	return n, true, ctx.Err()
}

func (c *patient) Flush(context.Context) (int, bool, error) { return 0, false, nil }

func TestAnInterruptedCollectorHasNotFailed(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{Ledger: ledger})
		for n, err := range pipe.Collate(pipe.FromSeq(p, "count", count(5)), "patient", pipe.Stage{},
			&patient{}).All(t.Context()) {
			require.NoError(t, err)
			if n == 1 {
				synctest.Wait()
				break
			}
		}
		assert.Empty(t, ledger.Failures())
	})
}

func TestPanicOfTheLoopStopsEverything(t *testing.T) {
	s := &stock{}
	p := pipe.New(pipe.Options{})
	flow := pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 4}, pass)
	assert.PanicsWithValue(t, "loop", func() {
		for i, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			i.Release()
			panic("loop")
		}
	})
	s.checkReleased(t)
}

func TestPanicOfAStageIsItsItemsFailure(t *testing.T) {
	ledger := &pipe.MemoryLedger{}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(20)), "map", pipe.Stage{Workers: 3},
		func(_ context.Context, n int) (int, error) {
			if n == 13 {
				var none []int
				return none[n], nil
			}
			return n, nil
		})
	results, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	assert.Len(t, results, 19)
	assert.NotContains(t, results, 13)

	require.Len(t, ledger.Failures(), 1)
	f := ledger.Failures()[0]
	assert.Equal(t, "panic", f.Class)
	assert.Equal(t, "13", f.ID)
	assert.Equal(t, "panic: runtime error: index out of range [13] with length 0", f.Text)
	var panicked *pipe.PanicError
	require.ErrorAs(t, f.Err, &panicked)
	assert.Contains(t, string(panicked.Stack), "TestPanicOfAStageIsItsItemsFailure")
	var runtimeError runtime.Error
	assert.ErrorAs(t, f.Err, &runtimeError)
}

func TestPanicOfTheSourceEndsTheRun(t *testing.T) {
	p := pipe.New(pipe.Options{})
	flow := pipe.Map(pipe.FromSeq(p, "count", func(yield func(int) bool) {
		yield(0)
		yield(1)
		panic("source")
	}), "map", pipe.Stage{}, same)
	results, err := collect(t.Context(), t, flow)
	var panicked *pipe.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Equal(t, "source", panicked.Value)
	assert.Equal(t, []int{0, 1}, results)
}

// A call of t.FailNow in a stage's function must not hang the test.
func TestGoexitEndsTheRun(t *testing.T) {
	s := &stock{}
	p := pipe.New(pipe.Options{})
	one := pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "one", pipe.Stage{Workers: 2},
		func(_ context.Context, i *item) (*item, error) {
			if i.n == 30 {
				i.Release()
				runtime.Goexit()
			}
			return i, nil
		})
	two := pipe.Map(one, "two", pipe.Stage{Workers: 2}, pass)
	var last error
	for i, err := range two.All(t.Context()) {
		if last = err; err == nil {
			i.Release()
		}
	}
	assert.EqualError(t, last, `pipe: a function of stage "one" ended its goroutine`)
	s.checkReleased(t)
}
