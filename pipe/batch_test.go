package pipe_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

func size(n int) int64 { return int64(n) }

func TestBatchBy(t *testing.T) {
	for _, test := range []struct {
		name  string
		by    pipe.BatchOptions[int]
		items []int
		want  [][]int
	}{
		{"count", pipe.BatchOptions[int]{Count: 2}, []int{1, 2, 3, 4, 5}, [][]int{{1, 2}, {3, 4}, {5}}},
		{"count, exact division", pipe.BatchOptions[int]{Count: 2}, []int{1, 2, 3, 4}, [][]int{{1, 2}, {3, 4}}},
		{"count, last dropped", pipe.BatchOptions[int]{Count: 2, DropLast: true}, []int{1, 2, 3, 4, 5},
			[][]int{{1, 2}, {3, 4}}},
		{"nothing", pipe.BatchOptions[int]{Count: 2}, nil, nil},
		{"bytes", pipe.BatchOptions[int]{Bytes: 10, Size: size}, []int{4, 4, 4, 10, 1, 30, 5, 5, 1},
			[][]int{{4, 4}, {4}, {10}, {1}, {30}, {5, 5}, {1}}},
		{"bytes and count", pipe.BatchOptions[int]{Count: 2, Bytes: 10, Size: size}, []int{1, 1, 1, 9, 9, 1, 1},
			[][]int{{1, 1}, {1, 9}, {9, 1}, {1}}},
		{"bytes, one an item", pipe.BatchOptions[int]{Count: 1, Bytes: 3, Size: size}, []int{1, 9, 2},
			[][]int{{1}, {9}, {2}}},
		{"buckets", pipe.BatchOptions[int]{Count: 2, Bucket: func(n int) int { return n / 10 }},
			[]int{21, 11, 1, 12, 22, 13, 2, 3},
			[][]int{{11, 12}, {21, 22}, {1, 2}, {13}, {3}}},
		{"buckets, last dropped", pipe.BatchOptions[int]{Count: 2, DropLast: true, Bucket: func(n int) int { return n / 10 }},
			[]int{21, 11, 1, 12},
			[][]int{{11, 12}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pipe.New(pipe.Options{})
			got, err := collect(t.Context(), t,
				pipe.BatchBy(pipe.FromSlice(p, "items", test.items), "batch", pipe.Stage{}, test.by))
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

// The first item of a batch waits exactly as long as Batching.Wait.
func TestBatchByTime(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		start := time.Now()
		src := pipe.FromSeq(p, "now and then", iter.Seq[int](func(yield func(int) bool) {
			for _, second := range []int{1, 2, 3, 10, 30, 31, 32, 33, 34, 35} {
				time.Sleep(time.Until(start.Add(time.Duration(second) * time.Second)))
				if !yield(second) {
					return
				}
			}
		}))
		flow := pipe.BatchBy(src, "batch", pipe.Stage{}, pipe.BatchOptions[int]{Count: 4, Wait: 5 * time.Second})
		var got [][]int
		var at []time.Duration
		for batch, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			got = append(got, batch)
			at = append(at, time.Since(start))
		}
		assert.Equal(t, [][]int{{1, 2, 3}, {10}, {30, 31, 32, 33}, {34, 35}}, got)
		assert.Equal(t, []time.Duration{6 * time.Second, 15 * time.Second, 33 * time.Second, 35 * time.Second}, at)
	})
}

// With any batching, every item comes once, in order within its bucket, and no batch exceeds its limits.
func TestBatchingLosesNothing(t *testing.T) {
	for seed := range uint64(200) {
		bubble.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			by := pipe.BatchOptions[int]{Count: 1 + r.IntN(5), Bytes: int64(r.IntN(2) * 3000), Size: size,
				Wait: time.Duration(r.IntN(2)*r.IntN(5)) * time.Millisecond}
			if r.IntN(2) == 0 {
				by.Bucket = func(n int) int { return n % 3 }
			}
			p := pipe.New(pipe.Options{})
			src := pipe.FromSeq(p, "count", func(yield func(int) bool) {
				for n := range 200 {
					time.Sleep(time.Duration(r.IntN(2*by.Count)) * time.Millisecond / 2)
					if !yield(n) {
						return
					}
				}
			})
			batches, err := collect(t.Context(), t, pipe.BatchBy(src, "batch", pipe.Stage{}, by))
			require.NoError(t, err)
			buckets := map[int][]int{}
			for _, batch := range batches {
				assert.LessOrEqual(t, len(batch), by.Count)
				bucket, sum := 0, 0
				if by.Bucket != nil {
					bucket = batch[0] % 3
				}
				for _, n := range batch {
					sum += n
					if by.Bucket != nil {
						assert.Equal(t, bucket, n%3, "seed %d", seed)
					}
				}
				assert.True(t, by.Bytes == 0 || int64(sum) <= by.Bytes, "seed %d: %v", seed, batch)
				buckets[bucket] = append(buckets[bucket], batch...)
			}
			var all []int
			for _, items := range buckets {
				assert.IsIncreasing(t, append([]int{-1}, items...), "seed %d", seed)
				all = append(all, items...)
			}
			slices.Sort(all)
			assert.Equal(t, slices.Collect(count(200)), all, "seed %d", seed)
		})
	}
}

func TestBatchingThatCannotBe(t *testing.T) {
	for want, by := range map[string]pipe.BatchOptions[int]{
		"batches without an end": {},
		"Bytes needs Size":       {Bytes: 1},
		"DropLast needs Count":   {DropLast: true, Wait: 1},
		"Count is negative":      {Count: -1},
		"Bytes is negative":      {Count: 1, Bytes: -1},
		"Wait is negative":       {Count: 1, Wait: -1},
	} {
		p := pipe.New(pipe.Options{})
		_, err := collect(t.Context(), t, pipe.BatchBy(pipe.FromSeq(p, "count", count(3)), "batch", pipe.Stage{}, by))
		require.ErrorIs(t, err, pipe.ErrOptions)
		require.ErrorContains(t, err, want)
	}
}

// The items of nested batches, and of a partly unbatched one, are all released.
func TestBatchesAreReleased(t *testing.T) {
	for _, stopAt := range []int{0, 1, 5, 11} {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		pairs := pipe.Batch(pipe.FromSeq(p, "endless", endless(s)), "pairs", pipe.Stage{}, 2)
		pairs = pipe.Unbatch(pipe.Batch(pairs, "pairs of pairs", pipe.Stage{}, 2), "unbatch", pipe.Stage{})
		n := 0
		for i, err := range pipe.Limit(pipe.Unbatch(pairs, "unbatch again", pipe.Stage{}), "limit", pipe.Stage{},
			stopAt).All(t.Context()) {
			require.NoError(t, err)
			assert.Equal(t, n, i.n)
			n++
			i.Release()
		}
		assert.Equal(t, stopAt, n)
		s.checkReleased(t)
	}
}

func TestShuffle(t *testing.T) {
	shuffled := func(n int, seed uint64, workers int) [][]dated {
		p := pipe.New(pipe.Options{})
		flow := pipe.Map(epochsOf(p, "source", 1000, 1000), "map", pipe.Stage{Workers: workers},
			func(_ context.Context, d dated) (dated, error) { return d, nil })
		return byEpoch(t, pipe.Shuffle(flow, "shuffle", pipe.Stage{}, n, seed))
	}
	one := shuffled(100, 7, 1)
	assert.Equal(t, one, shuffled(100, 7, 8), "workers make no difference")
	assert.NotEqual(t, one, shuffled(100, 8, 1), "the seed does")
	for epoch, items := range one {
		var order []int
		for place, d := range items {
			assert.Equal(t, epoch, d.epoch)
			assert.LessOrEqual(t, d.n-place, 100, "no earlier than the window")
			order = append(order, d.n)
		}
		assert.False(t, slices.IsSorted(order))
		slices.Sort(order)
		assert.Equal(t, slices.Collect(count(1000)), order)
	}
	assert.NotEqual(t, one[0][0].n+10*one[0][1].n, one[1][0].n+10*one[1][1].n, "every epoch is shuffled anew")
	assert.Len(t, shuffled(5000, 7, 1)[0], 1000, "a window wider than the epoch")
}
