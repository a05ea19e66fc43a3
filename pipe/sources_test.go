package pipe_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

func TestSources(t *testing.T) {
	broken := errors.New("broken")
	three := func(fail error) func(context.Context) (int, error) {
		n := 0
		return func(context.Context) (int, error) {
			if n++; n > 3 {
				return 0, fail
			}
			return n, nil
		}
	}
	filled := make(chan int, 3)
	filled <- 1
	filled <- 2
	filled <- 3
	close(filled)
	for name, test := range map[string]struct {
		from func(*pipe.Pipeline) *pipe.Flow[int]
		err  error
	}{
		"slice": {func(p *pipe.Pipeline) *pipe.Flow[int] { return pipe.FromSlice(p, "s", []int{1, 2, 3}) },
			nil},
		"sequence": {func(p *pipe.Pipeline) *pipe.Flow[int] {
			return pipe.FromSeq(p, "s",
				slices.Values([]int{1, 2, 3}))
		}, nil},
		"sequence with an error": {func(p *pipe.Pipeline) *pipe.Flow[int] { return pipe.From(p, "s", countThen(3, broken)) },
			broken},
		"channel": {func(p *pipe.Pipeline) *pipe.Flow[int] { return pipe.FromChan(p, "s", filled) }, nil},
		"function": {func(p *pipe.Pipeline) *pipe.Flow[int] { return pipe.FromNext(p, "s", three(io.EOF)) },
			nil},
		"function with an error": {func(p *pipe.Pipeline) *pipe.Flow[int] { return pipe.FromNext(p, "s", three(broken)) },
			broken},
	} {
		p := pipe.New(pipe.Options{})
		got, err := collect(t.Context(), t, test.from(p))
		assert.Equal(t, test.err, err, name)
		assert.Len(t, got, 3, name)
	}
}

// A channel that is never closed does not delay the end of a run.
func TestSourceChannelEndsWithTheRun(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		c := make(chan int, 2)
		c <- 1
		c <- 2
		p := pipe.New(pipe.Options{})
		n := 0
		for _, err := range pipe.FromChan(p, "channel", c).All(t.Context()) {
			require.NoError(t, err)
			if n++; n == 2 {
				synctest.Wait()
				break
			}
		}
		assert.Equal(t, 2, n)
	})
}

func TestFilter(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := &stock{}
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
		items := pipe.FromSeq(p, "items", s.upTo(100))
		flow := pipe.Filter(items, "thirds", pipe.Stage{Workers: workers}, func(_ context.Context, i *item) (bool, error) {
			if i.n%10 == 0 {
				return true, errTorn
			}
			return i.n%3 == 0, nil
		})
		var got []int
		for i, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			got = append(got, i.n)
			i.Release()
		}
		s.checkReleased(t)
		want := slices.DeleteFunc(slices.Collect(count(100)), func(n int) bool { return n%3 != 0 || n%10 == 0 })
		assert.Equal(t, want, got)
		r := p.Report().Stages[1]
		assert.EqualValues(t, 30, r.Items)
		assert.EqualValues(t, 10, r.Failures)
		assert.EqualValues(t, 60, r.Dropped)
		assert.EqualValues(t, 100, r.In)
		assert.EqualValues(t, 30, r.Out)
	}
}

// A part of a pipeline is used twice, under two names.
func TestWithin(t *testing.T) {
	p := pipe.New(pipe.Options{})
	half := func(f *pipe.Flow[int]) *pipe.Flow[int] {
		even := pipe.Filter(f, "even", pipe.Stage{}, func(_ context.Context, n int) (bool, error) { return n%2 == 0, nil })
		return pipe.Map(even, "halve", pipe.Stage{Workers: 2},
			func(_ context.Context, n int) (int, error) { return n / 2, nil })
	}
	flow := pipe.Within(pipe.Within(pipe.FromSeq(p, "count", count(40)), "first", half), "second", half)
	got, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	assert.Equal(t, slices.Collect(count(10)), got)
	names := map[string]bool{}
	for _, s := range p.Report().Stages {
		names[s.Name] = true
	}
	assert.ElementsMatch(t, []string{"count", "first/even", "first/halve", "second/even", "second/halve"},
		slices.Collect(maps.Keys(names)))
}

// A pipeline is the source of another. The inner pipeline stops with the outer one, and its error is a source's error.
func TestPipelineAsASource(t *testing.T) {
	s := &stock{}
	inner := pipe.New(pipe.Options{})
	items := pipe.Map(pipe.FromSeq(inner, "endless", endless(s)), "inner", pipe.Stage{Workers: 3}, pass)
	outer := pipe.New(pipe.Options{})
	flow := pipe.Map(pipe.FromFunc(outer, "pipeline", pipe.Stage{}, items.All), "outer", pipe.Stage{Workers: 2}, pass)
	n := 0
	for i, err := range pipe.Limit(flow, "limit", pipe.Stage{}, 20).All(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, n, i.n)
		n++
		i.Release()
	}
	assert.Equal(t, 20, n)
	s.checkReleased(t)

	inner = pipe.New(pipe.Options{OnFailure: pipe.Fail})
	torn := pipe.Map(pipe.FromSeq(inner, "count", count(9)), "tear", pipe.Stage{},
		func(_ context.Context, n int) (int, error) {
			if n == 4 {
				return 0, errTorn
			}
			return n, nil
		})
	got, err := collect(t.Context(), t, pipe.FromFunc(pipe.New(pipe.Options{}), "pipeline", pipe.Stage{}, torn.All))
	require.ErrorIs(t, err, errTorn)
	assert.Len(t, got, 4)
}

func TestLimit(t *testing.T) {
	for _, test := range []struct{ items, n, want int }{{10, 0, 0}, {10, 3, 3}, {10, 10, 10}, {3, 10, 3}, {0, 5, 0}} {
		p := pipe.New(pipe.Options{})
		got, err := collect(t.Context(), t,
			pipe.Limit(pipe.FromSeq(p, "count", count(test.items)), "limit", pipe.Stage{}, test.n))
		require.NoError(t, err)
		assert.Len(t, got, test.want)
	}
}

// A limit after a stage that drops failed items counts good items.
func TestLimitRefills(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	good := pipe.Map(pipe.FromSeq(p, "count", count(1_000_000)), "tear", pipe.Stage{Workers: 3}, tear(3))
	batches, err := collect(t.Context(), t,
		pipe.Batch(pipe.Limit(good, "limit", pipe.Stage{}, 12), "batch", pipe.Stage{}, 4))
	require.NoError(t, err)
	assert.Equal(t, [][]int{{1, 2, 4, 5}, {7, 8, 10, 11}, {13, 14, 16, 17}}, batches)
}

// sized is an item of that many bytes.
type sized int64

func (s sized) Size() int64 { return int64(s) }

// With a slow consumer, the waiting bytes exceed the queue's limit only by the items in work.
func TestQueueBytes(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			p := pipe.New(pipe.Options{})
			given := 0
			src := pipe.FromSeq(p, "tens", func(yield func(sized) bool) {
				for given = 0; given < 1000 && yield(10); given++ {
				}
			})
			flow := pipe.Map(src, "prefetch", pipe.Stage{Workers: 3, Queue: 1000, QueueBytes: 95, AsCompleted: asCompleted},
				func(_ context.Context, item sized) (sized, error) { return item, nil })
			n := 0
			for item, err := range flow.All(t.Context()) {
				require.NoError(t, err)
				assert.EqualValues(t, 10, item)
				if n++; n%100 == 1 {
					synctest.Wait()
					assert.LessOrEqual(t, p.Report().Stages[1].Out-int64(n), int64(10+2),
						"ten wait, and two came in together with the tenth")
					assert.GreaterOrEqual(t, p.Report().Stages[1].Out-int64(n), int64(10))
				}
			}
			assert.Equal(t, 1000, n)
		})
	}
}

func TestQueueBytesNeedsSizes(t *testing.T) {
	p := pipe.New(pipe.Options{})
	_, err := collect(t.Context(), t,
		pipe.Map(pipe.FromSeq(p, "count", count(3)), "prefetch", pipe.Stage{QueueBytes: 5}, same))
	require.ErrorIs(t, err, pipe.ErrOptions)
	require.ErrorContains(t, err, `"prefetch": QueueBytes needs results with a method Size() int64, but int has none`)
}
