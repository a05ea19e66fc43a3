package pipe_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// flowsOf returns flows of these lengths; item n of flow f is 1000 f + n.
func flowsOf(p *pipe.Pipeline, lengths ...int) (flows []*pipe.Flow[int]) {
	for f, n := range lengths {
		flows = append(flows, pipe.FromSeq(p, string(rune('a'+f)), func(yield func(int) bool) {
			for i := range n {
				if !yield(1000*f + i) {
					return
				}
			}
		}))
	}
	return flows
}

func TestMergeInTurn(t *testing.T) {
	for _, test := range []struct {
		name    string
		mix     pipe.MergeOptions
		lengths []int
		want    []int
	}{
		{"in turn", pipe.MergeOptions{}, []int{3, 1, 2}, []int{0, 1000, 2000, 1, 2001, 2}},
		{"one", pipe.MergeOptions{}, []int{2}, []int{0, 1}},
		{"empty ones", pipe.MergeOptions{}, []int{0, 2, 0}, []int{1000, 1001}},
		{"until the first ends", pipe.MergeOptions{StopAtFirst: true}, []int{3, 1, 2}, []int{0, 1000, 2000, 1}},
		{"by weight", pipe.MergeOptions{Weights: []float64{2, 1}}, []int{4, 2}, []int{0, 1000, 1, 2, 1001, 3}},
		{"by weight, one ends", pipe.MergeOptions{Weights: []float64{1, 1, 2}}, []int{1, 3, 2},
			[]int{2000, 0, 1000, 2001, 1001, 1002}},
		{"weight zero", pipe.MergeOptions{Weights: []float64{1, 0}}, []int{2, 2}, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pipe.New(pipe.Options{})
			got, err := collect(t.Context(), t, pipe.Merge("merge", pipe.Stage{}, test.mix, flowsOf(p, test.lengths...)...))
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

// After any number of items, each flow has contributed its share with an error of less than one item.
func TestMergeByWeightIsExact(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		weights := make([]float64, 1+r.IntN(9))
		sum := 0.0
		for i := range weights {
			weights[i] = r.ExpFloat64()
			if r.IntN(3) == 0 {
				weights[i] = float64(1 + r.IntN(4))
			}
			sum += weights[i]
		}
		p := pipe.New(pipe.Options{})
		lengths := make([]int, len(weights))
		for i := range lengths {
			lengths[i] = 1000
		}
		given := make([]float64, len(weights))
		n := 0.0
		merged := pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{Weights: weights}, flowsOf(p, lengths...)...)
		for item, err := range pipe.Limit(merged, "limit", pipe.Stage{}, 900).All(t.Context()) {
			require.NoError(t, err)
			given[item/1000]++
			n++
			for i, w := range weights {
				require.Less(t, math.Abs(n*w/sum-given[i]), 1.0, "seed %d: %v: after %v items %v", seed, weights, n, given)
			}
		}
		assert.InDelta(t, 900, n, 0)
	}
}

func TestMergeThatCannotBe(t *testing.T) {
	for want, mix := range map[string]pipe.MergeOptions{
		"1 weights for 2 flows": {Weights: []float64{1}},
		"weight -1":             {Weights: []float64{1, -1}},
		"weight NaN":            {Weights: []float64{1, math.NaN()}},
		"weight +Inf":           {Weights: []float64{1, math.Inf(1)}},
		"weights of sum 0":      {Weights: []float64{0, 0}},
	} {
		p := pipe.New(pipe.Options{})
		_, err := collect(t.Context(), t, pipe.Merge("merge", pipe.Stage{}, mix, flowsOf(p, 2, 2)...))
		require.ErrorIs(t, err, pipe.ErrOptions)
		require.ErrorContains(t, err, want)
	}
	_, err := collect(t.Context(), t, pipe.Merge[int]("merge", pipe.Stage{}, pipe.MergeOptions{}))
	require.ErrorContains(t, err, "a merge of no flows")
	one, other := pipe.New(pipe.Options{}), pipe.New(pipe.Options{})
	_, err = collect(t.Context(), t, pipe.MergeAny("merge", pipe.Stage{}, flowsOf(one, 2)[0], flowsOf(other, 2)[0]))
	require.ErrorContains(t, err, `"a": it is of another pipeline`)
}

func TestMergeAnyGivesWhatComesFirst(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		var flows []*pipe.Flow[int]
		for _, f := range flowsOf(p, 3, 3) {
			flows = append(flows, pipe.Map(f, "sleep "+string(rune('0'+len(flows))), pipe.Stage{},
				func(_ context.Context, n int) (int, error) {
					time.Sleep(time.Duration(n%1000*20+n/1000*5+1) * time.Second)
					return n, nil
				}))
		}
		got, err := collect(t.Context(), t, pipe.MergeAny("merge", pipe.Stage{}, flows...))
		require.NoError(t, err)
		assert.Equal(t, []int{0, 1000, 1, 1001, 2, 1002}, got)
	})
}

// A flow that fails ends the merged flow after its earlier results, and everything else is released.
func TestMergeFails(t *testing.T) {
	broken := errors.New("broken")
	for _, inAnyOrder := range []bool{true, false} {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		bad := pipe.From(p, "bad", func(yield func(*item, error) bool) {
			_ = yield(s.make(1), nil) && yield(s.make(2), nil) && yield(nil, broken)
		})
		flows := []*pipe.Flow[*item]{pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 4}, pass),
			bad}
		merged := pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{}, flows...)
		if inAnyOrder {
			p = pipe.New(pipe.Options{})
			bad = pipe.From(p, "bad", func(yield func(*item, error) bool) {
				_ = yield(s.make(1), nil) && yield(s.make(2), nil) && yield(nil, broken)
			})
			merged = pipe.MergeAny("merge", pipe.Stage{},
				pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 4}, pass), bad)
		}
		var last error
		var got []int
		for i, err := range merged.All(t.Context()) {
			if last = err; err == nil {
				got = append(got, i.n)
				i.Release()
			}
		}
		assert.Equal(t, broken, last)
		if !inAnyOrder {
			assert.Equal(t, []int{0, 1, 1, 2, 2}, got)
		}
		s.checkReleased(t)
	}
}

func TestRouteKeepsTheOrder(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			ledger := &pipe.MemoryLedger{}
			p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
			flow := pipe.Route(pipe.FromSeq(p, "count", count(300)), "route", pipe.Stage{AsCompleted: asCompleted},
				func(_ context.Context, n int) (int, error) {
					switch {
					case n == 13:
						panic("thirteen")
					case n == 14:
						return 0, errTorn
					case n%50 == 49:
						return n, nil // no such path
					}
					return n % 3, nil
				},
				func(f *pipe.Flow[int]) *pipe.Flow[int] { return f },
				func(f *pipe.Flow[int]) *pipe.Flow[int] {
					slow := pipe.Map(f, "slow", pipe.Stage{Workers: 5}, sleep(time.Second))
					return pipe.Filter(slow, "filter", pipe.Stage{Workers: 2},
						func(_ context.Context, n int) (bool, error) { return n%2 == 0, nil })
				},
				func(f *pipe.Flow[int]) *pipe.Flow[int] {
					return pipe.Map(f, "tear", pipe.Stage{Workers: 3}, func(ctx context.Context, n int) (int, error) {
						time.Sleep(time.Duration(n%7) * time.Millisecond)
						return tear(5)(ctx, n)
					})
				})
			got, err := collect(t.Context(), t, flow)
			require.NoError(t, err)
			var want []int
			for n := range 300 {
				if n == 13 || n == 14 || n%50 == 49 || n%3 == 1 && n%2 == 1 || n%3 == 2 && n%5 == 0 {
					continue
				}
				want = append(want, n)
			}
			if asCompleted {
				assert.False(t, slices.IsSorted(got))
				slices.Sort(got)
			}
			assert.Equal(t, want, got)
			var texts []string
			for _, f := range ledger.Failures() {
				if f.Stage == "route" {
					texts = append(texts, f.ID+" "+f.Text)
				}
			}
			assert.Equal(t, []string{"13 panic: thirteen", "14 torn", "49 path 49 of 3", "99 path 99 of 3", "149 path 149 of 3",
				"199 path 199 of 3", "249 path 249 of 3", "299 path 299 of 3"}, texts)
		})
	}
}

// Nested routes, and a route that sends everything to one path, also keep the order.
func TestRouteNested(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
		by := func(d int) func(context.Context, int) (int, error) {
			return func(_ context.Context, n int) (int, error) { return n / d % 2, nil }
		}
		stage := func(f *pipe.Flow[int]) *pipe.Flow[int] {
			return pipe.Map(f, "wave", pipe.Stage{Workers: 3, Queue: 1}, func(_ context.Context, n int) (int, error) {
				time.Sleep(serviceTime(5, n))
				if n%11 == 0 {
					return 0, errTorn
				}
				return n, nil
			})
		}
		inner := func(f *pipe.Flow[int]) *pipe.Flow[int] {
			return pipe.Route(stage(f), "inner", pipe.Stage{Queue: 1}, by(40), stage, stage)
		}
		got, err := collect(t.Context(), t,
			pipe.Route(pipe.FromSeq(p, "count", count(1000)), "outer", pipe.Stage{Queue: 1}, by(3), inner, stage))
		require.NoError(t, err)
		assert.Equal(t, slices.DeleteFunc(slices.Collect(count(1000)), func(n int) bool { return n%11 == 0 }), got)
	})
}

// A path may have any stages if the order need not be kept.
func TestRouteWithBatchesInAPath(t *testing.T) {
	odd := func(_ context.Context, n int) (int, error) { return n % 2, nil }
	batched := func(f *pipe.Flow[int]) *pipe.Flow[[]int] { return pipe.Batch(f, "batch", pipe.Stage{}, 4) }
	p := pipe.New(pipe.Options{})
	got, err := collect(t.Context(), t,
		pipe.Route(pipe.FromSeq(p, "count", count(20)), "route", pipe.Stage{AsCompleted: true}, odd, batched, batched))
	require.NoError(t, err)
	slices.SortFunc(got, func(a, b []int) int { return a[0] - b[0] })
	assert.Equal(t, [][]int{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}, {16, 18}, {17, 19}}, got)

	p = pipe.New(pipe.Options{})
	_, err = collect(t.Context(), t,
		pipe.Route(pipe.FromSeq(p, "count", count(20)), "route", pipe.Stage{}, odd, batched, batched))
	require.ErrorIs(t, err, pipe.ErrOptions)
	require.ErrorContains(t, err, `"route": path 1 has stage "route/1/batch", which does not keep the order item by item`)
}

// Under Fail, a failure in a path passes on exactly the results that one worker would have delivered before it.
func TestRouteFails(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
		flow := pipe.Route(pipe.FromSeq(p, "endless", endless(s)), "route", pipe.Stage{},
			func(_ context.Context, i *item) (int, error) { return i.n % 2, nil },
			func(f *pipe.Flow[*item]) *pipe.Flow[*item] {
				return pipe.Map(f, "slow", pipe.Stage{}, func(_ context.Context, i *item) (*item, error) {
					time.Sleep(time.Second)
					return i, nil
				})
			},
			func(f *pipe.Flow[*item]) *pipe.Flow[*item] {
				return pipe.Map(f, "tear", pipe.Stage{Workers: 4}, func(_ context.Context, i *item) (*item, error) {
					if i.n == 31 {
						return nil, errTorn
					}
					return i, nil
				})
			})
		var got []int
		var last error
		for i, err := range flow.All(t.Context()) {
			if last = err; err == nil {
				got = append(got, i.n)
				i.Release()
			}
		}
		require.ErrorIs(t, last, errTorn)
		assert.Equal(t, slices.Collect(count(31)), got)
		s.checkReleased(t)
	})
}

func TestTee(t *testing.T) {
	s := &stock{}
	p := pipe.New(pipe.Options{})
	tees := pipe.Tee(pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 200), "tee", pipe.Stage{},
		3,
		func(i *item) *item { return s.make(i.n) })
	var side []int
	pipe.To(tees[0], "side", pipe.Stage{}, func(_ context.Context, i *item) error {
		side = append(side, i.n)
		i.Release()
		return nil
	})
	few := 0
	pipe.To(pipe.Limit(tees[1], "few", pipe.Stage{}, 5), "few of them", pipe.Stage{},
		func(_ context.Context, i *item) error {
			few++
			i.Release()
			return nil
		})
	var main []int
	for i, err := range tees[2].All(t.Context()) {
		require.NoError(t, err)
		main = append(main, i.n)
		i.Release()
	}
	assert.Equal(t, slices.Collect(count(200)), main)
	assert.Equal(t, main, side)
	assert.Equal(t, 5, few, "one flow that wants no more leaves the others running")
	s.checkReleased(t)
}

func TestTeeNeedsShare(t *testing.T) {
	for _, flow := range []func(p *pipe.Pipeline) *pipe.Flow[*item]{
		func(p *pipe.Pipeline) *pipe.Flow[*item] {
			return pipe.MergeAny("merge", pipe.Stage{},
				pipe.Tee(pipe.FromSeq(p, "endless", endless(&stock{})), "tee", pipe.Stage{}, 2, nil)...)
		},
		func(p *pipe.Pipeline) *pipe.Flow[*item] {
			batches := pipe.Batch(pipe.FromSeq(p, "endless", endless(&stock{})), "batch", pipe.Stage{}, 3)
			return pipe.Unbatch(pipe.MergeAny("merge", pipe.Stage{}, pipe.Tee(batches, "tee", pipe.Stage{}, 2, nil)...),
				"unbatch", pipe.Stage{})
		},
	} {
		_, err := collect(t.Context(), t, flow(pipe.New(pipe.Options{})))
		require.ErrorIs(t, err, pipe.ErrOptions)
		require.ErrorContains(t, err, "has to be released, so a tee needs share")
	}
}
