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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// dated is an item with its epoch.
type dated struct{ epoch, n int }

// epochsOf returns a source of epochs of the given lengths.
func epochsOf(p *pipe.Pipeline, name string, lengths ...int) *pipe.Flow[dated] {
	return pipe.FromEpochs(p, name, pipe.Stage{}, len(lengths),
		func(_ context.Context, epoch int) iter.Seq2[dated, error] {
			return func(yield func(dated, error) bool) {
				for n := range lengths[epoch] {
					if !yield(dated{epoch, n}, nil) {
						return
					}
				}
			}
		})
}

// byEpoch runs a pipeline and returns the results of each epoch.
func byEpoch[T any](t *testing.T, flow *pipe.Flow[T]) (all [][]T) {
	t.Helper()
	for epoch, items := range flow.Epochs(t.Context()) {
		require.Len(t, all, epoch)
		all = append(all, nil)
		for item, err := range items {
			require.NoError(t, err)
			all[epoch] = append(all[epoch], item)
		}
	}
	return all
}

// waver takes a time that depends on the item, with a heavy tail.
func waver(seed uint64) func(context.Context, dated) (dated, error) {
	return func(_ context.Context, d dated) (dated, error) {
		time.Sleep(serviceTime(seed, 1000*d.epoch+d.n))
		return d, nil
	}
}

// In both orders and in all kinds of stages, no item crosses a border, and none is lost. Epochs may be empty or have
// one item.
func TestNoItemCrossesABorder(t *testing.T) {
	for seed := range uint64(40) {
		bubble.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			lengths := make([]int, 1+r.IntN(8))
			for i := range lengths {
				lengths[i] = []int{0, 1, 2, 30, 100}[r.IntN(5)]
			}
			set := func() pipe.Stage {
				return pipe.Stage{Workers: 1 + r.IntN(16), Queue: r.IntN(20), AsCompleted: r.IntN(2) == 1}
			}
			p := pipe.New(pipe.Options{})
			flow := pipe.Map(epochsOf(p, "source", lengths...), "map", set(), waver(seed))
			flow = pipe.FlatMap(flow, "twice", set(), func(_ context.Context, d dated) iter.Seq2[dated, error] {
				return func(yield func(dated, error) bool) {
					if yield(d, nil) {
						yield(d, nil)
					}
				}
			})
			odd := func(_ context.Context, d dated) (int, error) { return d.n % 2, nil }
			path := func(f *pipe.Flow[dated]) *pipe.Flow[dated] {
				return pipe.Map(f, "waver", pipe.Stage{Workers: 3}, waver(seed+1))
			}
			straight := func(f *pipe.Flow[dated]) *pipe.Flow[dated] { return f }
			flow = pipe.Route(flow, "route", pipe.Stage{AsCompleted: r.IntN(2) == 1}, odd, path, straight)
			flow = pipe.Shuffle(flow, "shuffle", pipe.Stage{}, 7, seed)
			tees := pipe.Tee(flow, "tee", pipe.Stage{}, 2, nil)
			if r.IntN(2) == 0 {
				flow = pipe.MergeAny("merge", pipe.Stage{}, tees...)
			} else {
				flow = pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{}, tees...)
			}
			batches := byEpoch(t, pipe.Batch(flow, "batch", pipe.Stage{}, 8))

			require.Len(t, batches, len(lengths), "seed %d", seed)
			for epoch, n := range lengths {
				var got []int
				for i, batch := range batches[epoch] {
					if i < len(batches[epoch])-1 {
						assert.Len(t, batch, 8)
					}
					for _, d := range batch {
						assert.Equal(t, epoch, d.epoch, "seed %d", seed)
						got = append(got, d.n)
					}
				}
				slices.Sort(got)
				var want []int
				for i := range n {
					want = append(want, i, i, i, i)
				}
				assert.Equal(t, want, got, "seed %d", seed)
			}
		})
	}
}

// Workers start the next epoch while the last item of one is in work. Epochs have eight items of one second, one of
// which takes eight. They take no longer than one long epoch.
func TestNoBubbleAtABorder(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			p := pipe.New(pipe.Options{})
			flow := pipe.Map(epochsOf(p, "source", 8, 8, 8, 8, 8), "map",
				pipe.Stage{Workers: 4, Queue: 64, AsCompleted: asCompleted},
				func(_ context.Context, d dated) (dated, error) {
					time.Sleep(time.Second)
					if d.n == 7 {
						time.Sleep(7 * time.Second)
					}
					return d, nil
				})
			start := time.Now()
			assert.Len(t, byEpoch(t, flow), 5)
			// 75 s of work by 4 workers is 18.75 s. With a wait at each border it would be 45 s.
			assert.Less(t, time.Since(start), 25*time.Second)
		})
	}
}

func TestEpochsOfAFlowWithoutThem(t *testing.T) {
	p := pipe.New(pipe.Options{})
	assert.Equal(t, [][]int{{0, 1, 2}}, byEpoch(t, pipe.FromSeq(p, "count", count(3))))
	p = pipe.New(pipe.Options{})
	assert.Equal(t, [][]int{nil}, byEpoch(t, pipe.FromSeq(p, "count", count(0))))
}

// Breaking an inner loop skips to the next epoch, and breaking the outer loop ends the run. Both release all items.
func TestBreakOfAnEpoch(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		var given atomic.Int64
		p := pipe.New(pipe.Options{})
		src := pipe.FromEpochs(p, "endless", pipe.Stage{}, 0, func(_ context.Context, epoch int) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				for n := range 50 {
					given.Add(1)
					if !yield(s.make(100*epoch+n), nil) {
						return
					}
				}
			}
		})
		flow := pipe.Map(src, "pass", pipe.Stage{Workers: 4, AsCompleted: true}, pass)
		var epochs, items int
		for epoch, all := range flow.Epochs(t.Context()) {
			epochs++
			for i, err := range all {
				require.NoError(t, err)
				assert.Equal(t, epoch, i.n/100)
				i.Release()
				if items++; items%10 == 0 {
					break
				}
			}
			if epoch == 3 {
				break
			}
		}
		assert.Equal(t, 4, epochs)
		assert.Equal(t, 40, items)
		assert.Less(t, given.Load(), int64(350), "nothing goes on after the end")
		s.checkReleased(t)
	})
}

func TestErrorInAnEpochThatIsSkipped(t *testing.T) {
	broken := errors.New("broken")
	p := pipe.New(pipe.Options{})
	src := pipe.FromEpochs(p, "source", pipe.Stage{}, 3, func(_ context.Context, epoch int) iter.Seq2[int, error] {
		if epoch == 1 {
			return countThen(4, broken)
		}
		return countThen(4, nil)
	})
	var seen []string
	for epoch, items := range src.Epochs(t.Context()) {
		for n, err := range items {
			seen = append(seen, fmt.Sprint(epoch, n, err))
			break
		}
	}
	assert.Equal(t, []string{"0 0 <nil>", "1 0 <nil>", "2 0 broken"}, seen)
}

// Endless epochs end when no more items are wanted.
func TestEndlessEpochsEndByLimit(t *testing.T) {
	p := pipe.New(pipe.Options{})
	src := pipe.FromEpochs(p, "endless", pipe.Stage{}, 0, func(_ context.Context, epoch int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for n := 0; n < 3 && yield(epoch, nil); n++ {
			}
		}
	})
	flow := pipe.Limit(src, "limit", pipe.Stage{}, 7)
	assert.Equal(t, [][]int{{0, 0, 0}, {1, 1, 1}, {2}}, byEpoch(t, flow))
}

// Merged flows meet at borders. A flow that has ended is omitted afterwards.
func TestMergeOfEpochs(t *testing.T) {
	for _, merge := range []func(...*pipe.Flow[dated]) *pipe.Flow[dated]{
		func(f ...*pipe.Flow[dated]) *pipe.Flow[dated] { return pipe.MergeAny("merge", pipe.Stage{}, f...) },
		func(f ...*pipe.Flow[dated]) *pipe.Flow[dated] {
			return pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{}, f...)
		},
		func(f ...*pipe.Flow[dated]) *pipe.Flow[dated] {
			return pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{Weights: []float64{3, 1}}, f...)
		},
	} {
		p := pipe.New(pipe.Options{})
		all := byEpoch(t, merge(epochsOf(p, "longer", 3, 0, 5, 2), epochsOf(p, "shorter", 1, 4)))
		require.Len(t, all, 4)
		for epoch, want := range []int{4, 4, 5, 2} {
			assert.Len(t, all[epoch], want)
			for _, d := range all[epoch] {
				assert.Equal(t, epoch, d.epoch)
			}
		}
	}
}
