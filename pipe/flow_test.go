package pipe_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/pipe"
)

// count yields the numbers below n.
func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// countThen is count with an error at the end.
func countThen(n int, err error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		yield(0, err)
	}
}

func same(_ context.Context, n int) (int, error) { return n, nil }

// collect runs a pipeline to its end and checks that an error comes last and once.
func collect[T any](ctx context.Context, t *testing.T, flow *pipe.Flow[T]) (results []T, err error) {
	t.Helper()
	for result, e := range flow.All(ctx) {
		require.NoError(t, err, "nothing comes after an error")
		if e != nil {
			err = e
			continue
		}
		results = append(results, result)
	}
	return results, err
}

func TestEmptySource(t *testing.T) {
	p := pipe.New(pipe.Options{})
	flow := pipe.Batch(pipe.Map(pipe.FromSeq(p, "count", count(0)), "map", pipe.Stage{Workers: 3}, same), "batch",
		pipe.Stage{}, 4)
	batches, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	assert.Empty(t, batches)
}

func TestOrderedKeepsTheOrderOfInput(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 64} {
		for _, queue := range []int{0, 1, 3, 100} {
			t.Run(fmt.Sprintf("%d workers, queue of %d", workers, queue), func(t *testing.T) {
				bubble.Test(t, func(t *testing.T) {
					seed := seed.Of(t)
					p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
					flow := pipe.FromSeq(p, "count", count(500))
					for _, name := range []string{"one", "two"} {
						flow = pipe.Map(flow, name, pipe.Stage{Workers: workers, Queue: queue},
							func(_ context.Context, n int) (int, error) {
								time.Sleep(serviceTime(seed, n))
								if n%7 == 3 {
									return 0, errors.New("three")
								}
								return n, nil
							})
					}
					results, err := collect(t.Context(), t, flow)
					require.NoError(t, err)
					want := slices.DeleteFunc(slices.Collect(count(500)), func(n int) bool { return n%7 == 3 })
					assert.Equal(t, want, results, "seed %d", seed)
				})
			})
		}
	}
}

// serviceTime has a heavy tail: one of a hundred items takes fifty times as long.
func serviceTime(seed uint64, n int) time.Duration {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	d := time.Duration(r.IntN(1000)) * time.Microsecond
	if r.IntN(100) == 0 {
		d *= 50
	}
	return d
}

func TestAsCompletedGivesWhatIsDoneFirst(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		flow := pipe.Map(pipe.FromSeq(p, "count", count(4)), "sleep", pipe.Stage{Workers: 4, AsCompleted: true},
			func(_ context.Context, n int) (int, error) {
				time.Sleep(time.Duration(10-n) * time.Second)
				return n, nil
			})
		results, err := collect(t.Context(), t, flow)
		require.NoError(t, err)
		assert.Equal(t, []int{3, 2, 1, 0}, results)
	})
}

func TestWorkersRunAtATimeAndNoMore(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			var running, most atomic.Int64
			p := pipe.New(pipe.Options{})
			flow := pipe.Map(pipe.FromSeq(p, "count", count(60)), "sleep", pipe.Stage{Workers: 6, AsCompleted: asCompleted},
				func(_ context.Context, n int) (int, error) {
					now := running.Add(1)
					defer running.Add(-1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					time.Sleep(time.Second)
					return n, nil
				})
			start := time.Now()
			_, err := collect(t.Context(), t, flow)
			require.NoError(t, err)
			assert.EqualValues(t, 6, most.Load())
			assert.Equal(t, 10*time.Second, time.Since(start), "60 items of a second by 6 workers")
		})
	}
}

// A slow item costs no throughput while the queue after its stage is not full. With 8 workers and one item in a hundred
// fifty times slower, a queue of 256 is never full for long.
func TestOrderedCostsNoThroughputWithinItsWindow(t *testing.T) {
	elapsed := func(s pipe.Stage) (d time.Duration) {
		bubble.Test(t, func(t *testing.T) {
			p := pipe.New(pipe.Options{})
			flow := pipe.Map(pipe.FromSeq(p, "count", count(20_000)), "sleep", s,
				func(_ context.Context, n int) (int, error) {
					if rand.New(rand.NewPCG(1, uint64(n))).IntN(100) == 0 {
						time.Sleep(50 * time.Millisecond)
					} else {
						time.Sleep(time.Millisecond)
					}
					return n, nil
				})
			start := time.Now()
			_, err := collect(t.Context(), t, flow)
			require.NoError(t, err)
			d = time.Since(start)
		})
		return d
	}
	free := elapsed(pipe.Stage{Workers: 8, Queue: 256, AsCompleted: true})
	wide := elapsed(pipe.Stage{Workers: 8, Queue: 256})
	narrow := elapsed(pipe.Stage{Workers: 8, Queue: 8})
	t.Logf("as completed %v, ordered with a window of 256 %v, of 8 %v", free, wide, narrow)
	assert.GreaterOrEqual(t, free.Seconds()/wide.Seconds(), 0.95, "documented in doc.go")
	assert.Less(t, free.Seconds()/narrow.Seconds(), 0.8, "the window is what makes the difference")
}

// If the consumer takes one item and stops, each stage fills its queue and then waits.
func TestBackPressureStopsEverything(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			var given, first, second atomic.Int64
			counted := func(calls *atomic.Int64) func(context.Context, int) (int, error) {
				return func(_ context.Context, n int) (int, error) {
					calls.Add(1)
					return n, nil
				}
			}
			p := pipe.New(pipe.Options{})
			source := pipe.FromFunc(p, "count", pipe.Stage{Queue: 5}, func(context.Context) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					for yield(int(given.Add(1)), nil) {
					}
				}
			})
			one := pipe.Map(source, "one", pipe.Stage{Workers: 3, Queue: 2, AsCompleted: asCompleted}, counted(&first))
			two := pipe.Map(one, "two", pipe.Stage{Workers: 2, Queue: 7, AsCompleted: asCompleted}, counted(&second))
			for _, err := range two.All(t.Context()) {
				require.NoError(t, err)
				synctest.Wait()
				const bySecond = 1 + 2 + 7 // one is delivered, and the stage holds its workers plus its queue
				const byFirst = bySecond + 3 + 2
				const bySource = byFirst + 1 + 5
				assert.EqualValues(t, bySecond, second.Load())
				assert.EqualValues(t, byFirst, first.Load())
				assert.EqualValues(t, bySource, given.Load())
				break
			}
		})
	}
}

func TestNothingWaitsForMore(t *testing.T) {
	// The source yields one item per hour, and each must arrive at once.
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		flow := pipe.FromSeq(p, "hourly", iter.Seq[time.Time](func(yield func(time.Time) bool) {
			for range 10 {
				time.Sleep(time.Hour)
				if !yield(time.Now()) {
					return
				}
			}
		}))
		for _, name := range []string{"one", "two", "three"} {
			flow = pipe.Map(flow, name, pipe.Stage{Workers: 4, Queue: 50},
				func(_ context.Context, at time.Time) (time.Time, error) { return at, nil })
		}
		n := 0
		for at, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			assert.Zero(t, time.Since(at))
			n++
		}
		assert.Equal(t, 10, n)
	})
}

func TestSourceErrorComesAfterItsItems(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 5} {
		p := pipe.New(pipe.Options{})
		flow := pipe.Map(pipe.From(p, "count", countThen(10, broken)), "map", pipe.Stage{Workers: workers}, same)
		batches, err := collect(t.Context(), t, pipe.Batch(flow, "batch", pipe.Stage{}, 4))
		assert.Equal(t, broken, err)
		assert.Equal(t, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}, batches)
	}
}

func TestBatchOfBatches(t *testing.T) {
	p := pipe.New(pipe.Options{})
	pairs := pipe.Batch(pipe.FromSeq(p, "count", count(7)), "pairs", pipe.Stage{}, 2)
	batches, err := collect(t.Context(), t, pipe.Batch(pairs, "pairs of pairs", pipe.Stage{}, 2))
	require.NoError(t, err)
	assert.Equal(t, [][][]int{{{0, 1}, {2, 3}}, {{4, 5}, {6}}}, batches)
}

// byParity collects odd and even numbers separately, and rejects multiples of five.
type byParity struct {
	groups   [2][]int
	released int
}

func (c *byParity) Add(_ context.Context, n int) ([]int, bool, error) {
	if n%5 == 0 {
		return nil, false, fmt.Errorf("%d is a multiple of five", n)
	}
	g := &c.groups[n%2]
	*g = append(*g, n)
	if len(*g) < 3 {
		return nil, false, nil
	}
	batch := *g
	*g = nil
	return batch, true, nil
}

func (c *byParity) Flush(context.Context) ([]int, bool, error) {
	for i, g := range c.groups {
		if g != nil {
			c.groups[i] = nil
			return g, true, nil
		}
	}
	return nil, false, nil
}

func (c *byParity) Release() { c.released++ }

func TestCollateFlushesUntilEmpty(t *testing.T) {
	ledger := &pipe.MemoryLedger{}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
	c := &byParity{}
	flow := pipe.Collate(pipe.FromSeq(p, "count", count(12)), "parity", pipe.Stage{}, c)
	batches, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	assert.Equal(t, [][]int{{2, 4, 6}, {1, 3, 7}, {8}, {9, 11}}, batches)
	assert.Equal(t, 1, c.released)
	var refused []string
	for _, f := range ledger.Failures() {
		refused = append(refused, f.ID+" "+f.Text)
	}
	assert.Equal(t, []string{"0 0 is a multiple of five", "5 5 is a multiple of five", "10 10 is a multiple of five"},
		refused)
}

type brokenFlush struct{ byParity }

func (c *brokenFlush) Flush(context.Context) ([]int, bool, error) {
	return nil, false, errors.New("no rest")
}

func TestFlushErrorEndsTheRun(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	flow := pipe.Collate(pipe.FromSeq(p, "count", count(8)), "parity", pipe.Stage{}, &brokenFlush{})
	batches, err := collect(t.Context(), t, flow)
	assert.EqualError(t, err, "no rest")
	assert.Equal(t, [][]int{{2, 4, 6}, {1, 3, 7}}, batches)
}

func TestMistakesAreReportedTogether(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: 7, MaxFailures: -1, MaxFailureRate: 1.5})
	src := pipe.FromFunc(p, "count", pipe.Stage{Workers: 2}, func(context.Context) iter.Seq2[int, error] { return nil })
	one := pipe.Map(src, "map", pipe.Stage{Workers: -2, Queue: -2}, same)
	pipe.Map(src, "map", pipe.Stage{}, same)
	bat := pipe.Batch(one, "batch", pipe.Stage{Workers: 3}, 0)
	_, err := collect(t.Context(), t, bat)
	require.ErrorIs(t, err, pipe.ErrOptions)
	for _, problem := range []string{
		"OnFailure 7 is not a policy",
		"MaxFailures -1 is negative",
		"MaxFailureRate 1.5 is not in [0, 1]",
		`"count": a source has one worker, not 2`,
		`"map": Workers -2 is negative`,
		`"map": Queue -2 is negative`,
		`"map": another one has this name`,
		`"count": its results cannot go to "map" too`,
		`"batch": a collector has one worker, not 3`,
		`"batch": batches of 0`,
		`"map": no stage and no loop takes its results`,
	} {
		assert.ErrorContains(t, err, problem)
	}
}

func TestOnlyTheLastFlowRunsAndOnce(t *testing.T) {
	p := pipe.New(pipe.Options{})
	src := pipe.FromSeq(p, "count", count(3))
	flow := pipe.Map(src, "map", pipe.Stage{}, same)

	_, err := collect(t.Context(), t, src)
	require.ErrorIs(t, err, pipe.ErrOptions)
	require.ErrorContains(t, err, `"count": its results go to another stage`)

	results, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, results)

	results, err = collect(t.Context(), t, flow)
	require.ErrorIs(t, err, pipe.ErrOptions)
	require.ErrorContains(t, err, "runs once")
	require.Empty(t, results)
}
