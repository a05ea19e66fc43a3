package pipe_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/internal/budget"
)

func TestRun(t *testing.T) {
	s := &stock{}
	var mu sync.Mutex
	var got []int
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	flow := pipe.Limit(pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 3}, pass), "limit",
		pipe.Stage{}, 50)
	pipe.To(flow, "keep", pipe.Stage{Workers: 4}, func(_ context.Context, i *item) error {
		mu.Lock()
		defer mu.Unlock()
		if i.n%10 == 0 {
			return errTorn
		}
		got = append(got, i.n)
		i.Release()
		return nil
	})
	require.NoError(t, p.Run(t.Context()))
	slices.Sort(got)
	assert.Equal(t, slices.DeleteFunc(slices.Collect(count(50)), func(n int) bool { return n%10 == 0 }), got)
	s.checkReleased(t)
	r := p.Report()
	assert.EqualValues(t, 45, r.Stages[3].Items)
	assert.EqualValues(t, 5, r.Stages[3].Failures)
	assert.EqualValues(t, 50, r.Stages[3].In)
	require.ErrorIs(t, p.Run(t.Context()), pipe.ErrOptions, "once")
}

func TestRunEndsInErrors(t *testing.T) {
	broken := errors.New("broken")
	sink := func(flow *pipe.Flow[int]) {
		pipe.To(flow, "sink", pipe.Stage{}, func(_ context.Context, n int) error {
			if n == 70 {
				return errTorn
			}
			return nil
		})
	}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	sink(pipe.From(p, "source", countThen(50, broken)))
	assert.Equal(t, broken, p.Run(t.Context()))
	assert.EqualValues(t, 50, p.Report().Stages[1].Items)

	p = pipe.New(pipe.Options{OnFailure: pipe.Fail})
	sink(pipe.FromSeq(p, "count", count(1_000_000)))
	err := p.Run(t.Context())
	require.ErrorIs(t, err, errTorn)
	require.EqualError(t, err, "sink: 70: torn")

	p = pipe.New(pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 0.5, RateSample: 1000})
	pipe.To(pipe.FromSeq(p, "count", count(10)), "sink", pipe.Stage{}, func(context.Context, int) error { return errTorn })
	require.ErrorIs(t, p.Run(t.Context()), pipe.ErrTooManyFailures)

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	p = pipe.New(pipe.Options{OnFailure: pipe.Skip})
	pipe.To(pipe.FromSeq(p, "count", count(1_000_000)), "sink", pipe.Stage{}, func(_ context.Context, n int) error {
		if n == 10 {
			cancel(enough)
		}
		return nil
	})
	assert.Equal(t, enough, p.Run(ctx))

	p = pipe.New(pipe.Options{OnFailure: pipe.Skip})
	pipe.FromSeq(p, "count", count(3))
	require.ErrorContains(t, p.Run(t.Context()), `"count": no stage and no loop takes its results`)
	require.ErrorIs(t, pipe.New(pipe.Options{OnFailure: pipe.Skip}).Run(t.Context()), pipe.ErrOptions)
}

// In a pipeline with a sink and a loop, a sink's failure ends the run at once under Fail. Its source's error comes in
// the loop.
func TestSinkBesideALoop(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
	tees := pipe.Tee(pipe.FromSeq(p, "count", count(1_000_000)), "tee", pipe.Stage{}, 2, nil)
	pipe.To(tees[0], "sink", pipe.Stage{}, func(_ context.Context, n int) error {
		if n == 70 {
			return errTorn
		}
		return nil
	})
	got, err := collect(t.Context(), t, tees[1])
	require.EqualError(t, err, "sink: 70: torn")
	assert.Less(t, len(got), 1000)

	broken := errors.New("broken")
	p = pipe.New(pipe.Options{})
	tees = pipe.Tee(pipe.From(p, "source", countThen(50, broken)), "tee", pipe.Stage{}, 2, nil)
	n := 0
	pipe.To(tees[0], "sink", pipe.Stage{}, func(context.Context, int) error {
		n++
		return nil
	})
	got, err = collect(t.Context(), t, tees[1])
	assert.Equal(t, broken, err)
	assert.Len(t, got, 50)
	assert.Equal(t, 50, n)
}

func TestToChan(t *testing.T) {
	for _, limit := range []int{1000, 7} {
		bubble.Test(t, func(t *testing.T) {
			s := &stock{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := make(chan *item)
			p := pipe.New(pipe.Options{})
			pipe.ToChan(pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 40), "channel", pipe.Stage{},
				c)
			ended := make(chan error)
			go func() { ended <- p.Run(ctx) }()
			var got []int
			for i := range c {
				got = append(got, i.n)
				i.Release()
				if len(got) == limit {
					cancel() // and receive no more: the current item is released
					break
				}
			}
			err := <-ended
			_, open := <-c
			assert.False(t, open)
			if limit < 40 {
				assert.Equal(t, context.Canceled, err)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, slices.Collect(count(min(limit, 40))), got)
			s.checkReleased(t)
		})
	}
}

// charged is an item with the bytes that were reserved for it.
type charged struct {
	*item
	share *budget.Lease
}

func (c charged) Release() {
	c.item.Release()
	c.share.Release()
}

// charge returns a function for Admit that reserves bytes for an item.
func charge(b *budget.Bytes, size func(*item) int) func(context.Context, *item) (charged, error) {
	return func(ctx context.Context, i *item) (charged, error) {
		share, err := b.Get(ctx, size(i))
		return charged{i, share}, err
	}
}

// With any budget and any number of workers and stages, all items pass, and the reserved bytes stay within the budget.
func TestAdmit(t *testing.T) {
	for _, ceiling := range []int{1, 99, 100, 250, 1 << 20} { // items are of 60 to 100 bytes
		for _, asCompleted := range []bool{false, true} {
			bubble.Test(t, func(t *testing.T) {
				s := &stock{}
				memory := budget.New(ceiling)
				most := 0
				p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
				items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 100)
				flow := pipe.Admit(items, "admit", pipe.Stage{}, func(ctx context.Context, i *item) (charged, error) {
					share, err := memory.Get(ctx, 60+i.n%41)
					most = max(most, memory.InUse())
					return charged{i, share}, err
				})
				for _, name := range []string{"one", "two"} {
					flow = pipe.Map(flow, name, pipe.Stage{Workers: 8, AsCompleted: asCompleted},
						func(_ context.Context, c charged) (charged, error) {
							time.Sleep(serviceTime(1, c.n))
							if name == "two" && c.n%10 == 0 {
								return c, errTorn
							}
							return c, nil
						})
				}
				n := 0
				for c, err := range flow.All(t.Context()) {
					require.NoError(t, err)
					n++
					c.Release()
				}
				assert.Equal(t, 90, n)
				assert.LessOrEqual(t, most, max(ceiling, 100), "one item that is larger than all goes alone")
				assert.Zero(t, memory.InUse())
				s.checkReleased(t)
			})
		}
	}
}

// If a batch needs more than the budget, the run ends with an error. A slow consumer, or a stage that takes long, is no
// error.
func TestAdmitIntoABatch(t *testing.T) {
	for _, ceiling := range []int{30, 40, 90} {
		bubble.Test(t, func(t *testing.T) {
			s := &stock{}
			p := pipe.New(pipe.Options{})
			items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 12)
			flow := pipe.Admit(items, "admit", pipe.Stage{}, charge(budget.New(ceiling), func(*item) int { return 10 }))
			flow = pipe.Map(flow, "slow", pipe.Stage{}, func(_ context.Context, c charged) (charged, error) {
				time.Sleep(time.Minute)
				return c, nil
			})
			var last error
			n := 0
			for batch, err := range pipe.Batch(flow, "batch", pipe.Stage{}, 4).All(t.Context()) {
				if last = err; err != nil {
					break
				}
				time.Sleep(time.Hour)
				for _, c := range batch {
					c.Release()
					n++
				}
			}
			if ceiling < 40 {
				require.ErrorIs(t, last, pipe.ErrBudget)
				assert.ErrorContains(t, last, "nothing has moved for 10s while bytes were wanted")
			} else {
				require.NoError(t, last)
				assert.Equal(t, 12, n)
			}
			s.checkReleased(t)
		})
	}
}

// held is an item with its buffer.
type held struct {
	*item
	buffer *spool.Buffer
}

func (h held) Release() {
	h.item.Release()
	h.buffer.Release()
}

// A pool of buffers is a budget.
func TestPoolIsABudget(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 1 << 16})
	require.NoError(t, err)
	s := &stock{}
	p := pipe.New(pipe.Options{})
	items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 200)
	flow := pipe.Admit(items, "admit", pipe.Stage{}, func(ctx context.Context, i *item) (held, error) {
		b, err := pool.Get(ctx, 1<<15)
		return held{i, b}, err
	})
	flow = pipe.Map(flow, "fill", pipe.Stage{Workers: 8, AsCompleted: true},
		func(_ context.Context, h held) (held, error) {
			h.buffer.Bytes()[0] = byte(h.n)
			return h, nil
		})
	n := 0
	for h, err := range flow.All(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, byte(h.n), h.buffer.Bytes()[0])
		n++
		h.Release()
	}
	assert.Equal(t, 200, n)
	s.checkReleased(t)
	require.NoError(t, pool.Close(), "all buffers are back")
}
