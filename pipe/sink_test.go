package pipe_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe"
)

func TestRun(t *testing.T) {
	s := &stock{}
	var mu sync.Mutex
	var got []int
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
	flow := pipe.Limit(pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "pass", pipe.Stage{Workers: 3}, pass), "limit", pipe.Stage{}, 50)
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
		synctest.Test(t, func(t *testing.T) {
			s := &stock{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := make(chan *item)
			p := pipe.New(pipe.Options{})
			pipe.ToChan(pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 40), "channel", pipe.Stage{}, c)
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

func TestCache(t *testing.T) {
	s := &stock{}
	share := func(i *item) *item { return s.make(i.n) }
	cache := pipe.NewCache[int](250, func(*item) int64 { return 10 }, share)
	calls := 0
	for range 2 { // two pipelines
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
		src := epochsOf(p, "source", 40, 40)
		flow := pipe.Map(src, "decode", pipe.Stage{}, pipe.Cached(cache, func(d dated) int { return d.n }, func(_ context.Context, d dated) (*item, error) {
			if calls++; d.n == 39 {
				return nil, errTorn
			}
			return s.make(d.n), nil
		}))
		for _, items := range byEpoch(t, flow) {
			require.Len(t, items, 39)
			for n, i := range items {
				assert.Equal(t, n, i.n)
				i.Release()
			}
		}
	}
	assert.Equal(t, 25+4*15, calls, "250 bytes hold 25, of which each was made once")
	assert.Equal(t, pipe.CacheStats{Hits: 3 * 25, Misses: int64(calls), Items: 25, Bytes: 250, Refused: 4 * 14}, cache.Stats())
	cache.Release()
	assert.Zero(t, cache.Stats().Bytes)
	s.checkReleased(t)
}

// An item whose result is in the cache is released.
func TestCacheReleasesTheItem(t *testing.T) {
	s := &stock{}
	cache := pipe.NewCache[int](1000, func(int) int64 { return 1 }, nil)
	p := pipe.New(pipe.Options{})
	items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 50)
	got, err := collect(t.Context(), t, pipe.Map(items, "tens", pipe.Stage{Workers: 4}, pipe.Cached(cache, func(i *item) int { return i.n % 10 },
		func(_ context.Context, i *item) (int, error) {
			defer i.Release()
			return i.n % 10, nil
		})))
	require.NoError(t, err)
	for n, tens := range got {
		assert.Equal(t, n%10, tens)
	}
	assert.Equal(t, 10, cache.Stats().Items)
	s.checkReleased(t)
}

// charged is an item with the bytes that were reserved for it.
type charged struct {
	*item
	share *pipe.Share
}

func (c charged) Release() {
	c.item.Release()
	c.share.Release()
}

// With any budget and any number of workers and stages, all items pass, and the reserved bytes stay within the budget.
func TestAdmit(t *testing.T) {
	for _, ceiling := range []int{1, 99, 100, 250, 1 << 20} { // items are of 60 to 100 bytes
		for _, order := range []pipe.Order{pipe.Ordered, pipe.AsCompleted} {
			synctest.Test(t, func(t *testing.T) {
				s := &stock{}
				budget := pipe.NewBytes(ceiling)
				most := 0
				p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
				items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 100)
				flow := pipe.Admit(items, "admit", pipe.Stage{}, budget, func(i *item) int { return 60 + i.n%41 }, func(i *item, share *pipe.Share) charged {
					most = max(most, budget.Out())
					return charged{i, share}
				})
				for _, name := range []string{"one", "two"} {
					flow = pipe.Map(flow, name, pipe.Stage{Workers: 8, Order: order}, func(_ context.Context, c charged) (charged, error) {
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
				assert.Zero(t, budget.Out())
				s.checkReleased(t)
			})
		}
	}
}

// If a batch needs more than the budget, the run ends with an error. A slow consumer, or a stage that takes long, is no
// error.
func TestAdmitIntoABatch(t *testing.T) {
	for _, ceiling := range []int{30, 40, 90} {
		synctest.Test(t, func(t *testing.T) {
			s := &stock{}
			p := pipe.New(pipe.Options{})
			items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 12)
			flow := pipe.Admit(items, "admit", pipe.Stage{}, pipe.NewBytes(ceiling), func(*item) int { return 10 }, func(i *item, share *pipe.Share) charged { return charged{i, share} })
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
				assert.ErrorContains(t, last, "nothing has moved for 10s while 10 bytes were wanted")
			} else {
				require.NoError(t, last)
				assert.Equal(t, 12, n)
			}
			s.checkReleased(t)
		})
	}
}

// Waiters for bytes are served in order, also if the ceiling changes or a waiter is canceled.
func TestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := pipe.NewBytes(100)
		get := func(ctx context.Context, n int) chan *pipe.Share {
			got := make(chan *pipe.Share, 1)
			go func() {
				if share, err := b.Get(ctx, n); err == nil {
					got <- share
				} else {
					close(got)
				}
			}()
			synctest.Wait()
			return got
		}
		first := <-get(t.Context(), 90)
		ctx, cancel := context.WithCancel(t.Context())
		large, small := get(ctx, 50), get(t.Context(), 10)
		assert.Equal(t, 90, b.Out(), "the small one does not overtake")
		cancel()
		synctest.Wait()
		assert.Nil(t, <-large)
		one := <-small
		assert.Equal(t, 100, b.Out())
		whole := get(t.Context(), 150)
		b.Resize(300)
		(<-whole).Release()
		b.Resize(10)
		next := get(t.Context(), 10)
		first.Release()
		assert.Equal(t, 10, b.Out())
		one.Release()
		(<-next).Release()
		assert.Zero(t, b.Out())
		assert.Panics(t, first.Release)
	})
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

// A pool of buffers is a Budget.
func TestPoolIsABudget(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 1 << 16})
	require.NoError(t, err)
	s := &stock{}
	p := pipe.New(pipe.Options{})
	items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 200)
	flow := pipe.Admit(items, "admit", pipe.Stage{}, pool, func(*item) int { return 1 << 15 }, func(i *item, b *spool.Buffer) held { return held{i, b} })
	flow = pipe.Map(flow, "fill", pipe.Stage{Workers: 8, Order: pipe.AsCompleted}, func(_ context.Context, h held) (held, error) {
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
