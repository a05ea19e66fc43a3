package loader_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
)

// numbers is a dataset of n samples, each its own index. If get is not nil, it replaces the samples.
type numbers struct {
	n   int
	get func(ctx context.Context, i int) (int, error)
}

func (d numbers) Len() int { return d.n }

func (d numbers) Get(ctx context.Context, i int) (int, error) {
	if d.get != nil {
		return d.get(ctx, i)
	}
	return i, nil
}

// epochs runs a loader to its end.
func epochs[B any](t testing.TB, dl *loader.DataLoader[B]) (all map[int][]B, failed error) {
	t.Helper()
	all = map[int][]B{}
	for epoch, batches := range dl.Epochs(t.Context()) {
		for b, err := range batches {
			if err != nil {
				failed = err
				continue
			}
			all[epoch] = append(all[epoch], b)
		}
	}
	return all, failed
}

func TestDataLoader(t *testing.T) {
	for _, c := range []struct {
		name string
		o    loader.DataLoaderOptions
		want map[int][][]int
	}{
		{"defaults", loader.DataLoaderOptions{}, map[int][][]int{0: {{0}, {1}, {2}, {3}, {4}, {5}, {6}}}},
		{"batches", loader.DataLoaderOptions{BatchSize: 3, NumWorkers: 5}, map[int][][]int{0: {{0, 1, 2}, {3, 4, 5}, {6}}}},
		{"drop last", loader.DataLoaderOptions{BatchSize: 3, DropLast: true, Epochs: 2, PrefetchFactor: 5},
			map[int][][]int{0: {{0, 1, 2}, {3, 4, 5}}, 1: {{0, 1, 2}, {3, 4, 5}}}},
		{"sampler", loader.DataLoaderOptions{BatchSize: 2, Epochs: 2,
			Sampler: func(uint64) order.Sampler { return order.Sequential(3) }},
			map[int][][]int{0: {{0, 1}, {2}}, 1: {{0, 1}, {2}}}},
		{"rank", loader.DataLoaderOptions{BatchSize: 2, Rank: order.Rank{Index: 1, World: 2}, Rest: order.Drop},
			map[int][][]int{0: {{2, 3}, {5}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dl, err := loader.NewDataLoader(numbers{n: 7}, c.o)
			require.NoError(t, err)
			got, err := epochs(t, dl)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, len(c.want[0]), dl.Len())
			_, again := epochs(t, dl)
			require.ErrorIs(t, again, pipe.ErrOptions, "it works once")
		})
	}
}

// A shuffled epoch is the same permutation as in other loaders, for any number of workers.
func TestDataLoaderShuffles(t *testing.T) {
	for _, workers := range []int{1, 16, loader.Auto} {
		dl, err := loader.NewDataLoader(numbers{n: 50},
			loader.DataLoaderOptions{BatchSize: 8, Shuffle: true, Seed: 3, Epochs: 2, NumWorkers: workers})
		require.NoError(t, err)
		got, err := epochs(t, dl)
		require.NoError(t, err)
		for epoch := range 2 {
			p := order.NewPermutation(50, 3, uint64(epoch))
			for i, id := range slices.Concat(got[epoch]...) {
				require.Equal(t, p.At(i), id)
			}
		}
	}
	dl, err := loader.NewDataLoader(numbers{n: 50}, loader.DataLoaderOptions{BatchSize: 8, AnyOrder: true, Epochs: 3})
	require.NoError(t, err)
	got, err := epochs(t, dl)
	require.NoError(t, err)
	for epoch := range 3 {
		ids := slices.Concat(got[epoch]...)
		slices.Sort(ids)
		require.Len(t, slices.Compact(ids), 50)
	}
}

// A failure ends the loop, after the earlier batches. Or it is skipped, and the next sample takes its place.
func TestDataLoaderFailures(t *testing.T) {
	broken := errors.New("broken")
	bad := numbers{n: 9, get: func(_ context.Context, i int) (int, error) {
		switch i {
		case 4:
			return 0, broken
		case 6:
			panic("at 6")
		}
		return i, nil
	}}
	dl, err := loader.NewDataLoader(bad, loader.DataLoaderOptions{BatchSize: 2, NumWorkers: 4})
	require.NoError(t, err)
	got, err := epochs(t, dl)
	require.ErrorIs(t, err, broken)
	failure, ok := errors.AsType[*pipe.Failure](err)
	require.True(t, ok)
	require.Equal(t, "4", failure.ID)
	require.Equal(t, [][]int{{0, 1}, {2, 3}}, got[0])

	var ledger pipe.MemoryLedger
	dl, err = loader.NewDataLoader(bad, loader.DataLoaderOptions{BatchSize: 2, NumWorkers: 4, Skip: true, Ledger: &ledger})
	require.NoError(t, err)
	got, err = epochs(t, dl)
	require.NoError(t, err)
	require.Equal(t, [][]int{{0, 1}, {2, 3}, {5, 7}, {8}}, got[0])
	var failed []string
	for _, f := range ledger.Failures() {
		failed = append(failed, f.ID+" "+f.Stage)
	}
	require.ElementsMatch(t, []string{"4 get", "6 get"}, failed)

	sums, err := loader.NewDataLoaderCollate(numbers{n: 6}, func(_ context.Context, all []int) (string, error) {
		if all[0] == 2 {
			return "", broken
		}
		return fmt.Sprint(all), nil
	}, loader.DataLoaderOptions{BatchSize: 2, Skip: true})
	require.NoError(t, err)
	texts, err := epochs(t, sums)
	require.NoError(t, err)
	require.Equal(t, []string{"[0 1]", "[4 5]"}, texts[0])
	require.EqualValues(t, 1, sums.Report().Stages[3].Failures)
}

// Timeout limits a call of Get, and as many calls run concurrently as there are workers.
func TestDataLoaderWorkersAndTimeout(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		dl, err := loader.NewDataLoader(numbers{n: 100, get: func(ctx context.Context, i int) (int, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			wait := time.Second
			if i == 7 {
				wait = time.Hour
			}
			select {
			case <-time.After(wait):
				return i, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}}, loader.DataLoaderOptions{BatchSize: 10, NumWorkers: 6, Timeout: time.Minute, Skip: true})
		require.NoError(t, err)
		begin := time.Now()
		got, err := epochs(t, dl)
		require.NoError(t, err)
		require.Len(t, slices.Concat(got[0]...), 99)
		require.EqualValues(t, 6, most.Load())
		require.Less(t, time.Since(begin), 80*time.Second, "a minute for sample 7, while others go on")
	})
}

// The loop does not wait longer at the border of epochs than elsewhere.
func TestDataLoaderBorder(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		dl, err := loader.NewDataLoader(numbers{n: 100, get: func(_ context.Context, i int) (int, error) {
			time.Sleep(10 * time.Millisecond) //nolint:forbidigo // of the bubble
			return i, nil
		}}, loader.DataLoaderOptions{BatchSize: 10, NumWorkers: 5, Epochs: 5, Shuffle: true})
		require.NoError(t, err)
		begin := time.Now()
		for epoch, batches := range dl.Epochs(t.Context()) {
			first := true
			for _, err := range batches {
				require.NoError(t, err)
				if first && epoch > 0 {
					require.LessOrEqual(t, time.Since(begin), 20*time.Millisecond, "ten samples by five workers")
				}
				first, begin = false, time.Now()
			}
		}
	})
}

// A dataset's random numbers depend on seed, epoch and sample only. A resumed loader has the batches that would have
// followed, with any number of workers.
func TestDataLoaderResumes(t *testing.T) {
	r := seed.Rand(t)
	for range 300 {
		n, bad := 1+r.IntN(60), r.IntN(5) == 0
		o := loader.DataLoaderOptions{BatchSize: 1 + r.IntN(9), Shuffle: r.IntN(2) == 0, Seed: r.Uint64(),
			Epochs: 1 + r.IntN(3), DropLast: r.IntN(4) == 0, Skip: true}
		if r.IntN(3) == 0 {
			o.Rank = order.Rank{Index: r.IntN(2), World: 2}
		}
		set := numbers{n: n, get: func(ctx context.Context, i int) (int, error) {
			if bad && i%7 == 3 {
				return 0, errors.New("bad")
			}
			return i<<32 | int(loader.Rand(ctx).Uint32()), nil
		}}
		run := func(o loader.DataLoaderOptions, most int) (all [][]int, s loader.State) {
			dl, err := loader.NewDataLoader(set, o)
			require.NoError(t, err)
			s, err = dl.State()
			require.NoError(t, err)
			for b, err := range dl.Batches(t.Context()) {
				require.NoError(t, err)
				all = append(all, b)
				s, err = dl.State()
				require.NoError(t, err)
				if len(all) == most {
					break
				}
			}
			return all, s
		}
		whole, _ := run(o, -1)
		o.NumWorkers = 1 + r.IntN(8)
		head, state := run(o, 1+r.IntN(len(whole)+1))
		o.NumWorkers, o.PrefetchFactor, o.Resume = 1+r.IntN(8), 1+r.IntN(4), []loader.State{state}
		tail, _ := run(o, -1)
		require.Equal(t, whole, slices.Concat(head, tail), "%+v", o)
	}
}

// counted is a sample or a batch that must be released once.
type counted struct {
	left     *atomic.Int64
	released atomic.Bool
	parts    []*counted
}

func (c *counted) Release() {
	if c.released.Swap(true) {
		c.left.Add(1 << 32) // twice
	}
	c.left.Add(-1)
	for _, p := range c.parts {
		p.Release()
	}
}

type countedSet struct {
	n    int
	left *atomic.Int64
	r    *rand.Rand
	mu   *sync.Mutex
}

func (s countedSet) Len() int { return s.n }

func (s countedSet) Get(context.Context, int) (*counted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.r.IntN(20) == 0 {
		return nil, errors.New("bad")
	}
	s.left.Add(1)
	return &counted{left: s.left}, nil
}

// Wherever the loop ends, everything that it did not receive is released, exactly once.
func TestDataLoaderReleases(t *testing.T) {
	r := seed.Rand(t)
	for range 300 {
		var left atomic.Int64
		var mu sync.Mutex
		set := countedSet{n: 1 + r.IntN(50), left: &left, r: rand.New(rand.NewPCG(r.Uint64(), 0)), mu: &mu}
		o := loader.DataLoaderOptions{BatchSize: 1 + r.IntN(6), NumWorkers: 1 + r.IntN(6), Epochs: 1 + r.IntN(3),
			DropLast: r.IntN(2) == 0, Skip: r.IntN(2) == 0, AnyOrder: r.IntN(2) == 0}
		stop := r.IntN(20)
		take := func(n int, err error, release func()) bool {
			if err == nil {
				release()
			}
			return n < stop
		}
		n := 0
		if r.IntN(2) == 0 {
			dl, err := loader.NewDataLoader(set, o)
			require.NoError(t, err)
			for all, err := range dl.Batches(t.Context()) {
				if n++; !take(n, err, func() {
					for _, s := range all {
						s.Release()
					}
				}) {
					break
				}
			}
		} else {
			dl, err := loader.NewDataLoaderCollate(set, func(_ context.Context, all []*counted) (*counted, error) {
				mu.Lock()
				defer mu.Unlock()
				if set.r.IntN(10) == 0 {
					return nil, errors.New("bad batch")
				}
				left.Add(1)
				return &counted{left: &left, parts: all}, nil
			}, o)
			require.NoError(t, err)
			for b, err := range dl.Batches(t.Context()) {
				if n++; !take(n, err, func() { b.Release() }) {
					break
				}
			}
		}
		require.Zero(t, left.Load(), "%+v", o)
	}
}

func TestDataLoaderRefuses(t *testing.T) {
	_, err := loader.NewDataLoader(numbers{n: 3},
		loader.DataLoaderOptions{BatchSize: -1, NumWorkers: -2, PrefetchFactor: -3, Timeout: -4, AnyOrder: true,
			Resume: make([]loader.State, 1)})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, text := range []string{"BatchSize -1", "NumWorkers -2", "PrefetchFactor -3", "Timeout -4ns",
		"AnyOrder excludes Resume"} {
		require.ErrorContains(t, err, ": "+text)
	}
	_, err = loader.NewDataLoader(numbers{}, loader.DataLoaderOptions{})
	require.ErrorIs(t, err, spool.ErrEmpty)
	dl, err := loader.NewDataLoader(numbers{n: 3}, loader.DataLoaderOptions{AnyOrder: true})
	require.NoError(t, err)
	_, err = dl.State()
	require.ErrorIs(t, err, spool.ErrOptions)

	done, err := loader.NewDataLoader(numbers{n: 3}, loader.DataLoaderOptions{})
	require.NoError(t, err)
	_, err = epochs(t, done)
	require.NoError(t, err)
	state, err := done.State()
	require.NoError(t, err)
	rest, err := loader.NewDataLoader(numbers{n: 3}, loader.DataLoaderOptions{Resume: []loader.State{state}})
	require.NoError(t, err)
	got, err := epochs(t, rest)
	require.NoError(t, err)
	assert.Empty(t, got, "nothing is left")
}
