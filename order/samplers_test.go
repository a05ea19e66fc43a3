package order_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/order"
)

func TestReplacement(t *testing.T) {
	const n = 50
	s := order.NewReplacement(n, 100*n, 7, 2)
	counts := make([]int, n)
	pairs := make([]int, n)
	previous := 0
	for i := range s.Len() {
		id := s.At(i)
		require.Equal(t, id, s.At(i))
		counts[id]++
		pairs[(id-previous+n)%n]++
		previous = id
	}
	assert.Less(t, math.Abs(chiSquare(counts, n-1)), uniform)
	assert.Less(t, math.Abs(chiSquare(pairs, n-1)), uniform)
	assert.NotEqual(t, ids(s)[:20], ids(order.NewReplacement(n, 20, 7, 3)), "another epoch")
	assert.NotEqual(t, ids(s)[:20], ids(order.NewReplacement(n, 20, 8, 2)), "another seed")
	assert.Equal(t, ids(s)[:20], ids(order.NewReplacement(n, 20, 7, 2)), "the number of draws does not matter")
	assert.Empty(t, ids(order.NewReplacement(0, 0, 0, 0)))
	for _, c := range [][2]int{{-1, 0}, {0, 1}, {1, -1}} {
		assert.Panics(t, func() { order.NewReplacement(c[0], c[1], 0, 0) })
	}
}

// TestWeighted compares the counts with the weights by Pearson's statistic, over weights of many scales.
func TestWeighted(t *testing.T) {
	r := seed.Rand(t)
	for _, weights := range [][]float64{{1}, {1, 1, 1, 1, 1}, {1, 2, 3, 4}, {0, 5, 0, 0.5}, {1e300, 1e300, 3e300},
		{5e-320, 1e-319}, {1e6, 1, 1e6}, make([]float64, 1000)} {
		if len(weights) == 1000 {
			for i := range weights {
				weights[i] = math.Exp(3 * r.NormFloat64())
			}
		}
		w, err := order.NewWeights(weights)
		require.NoError(t, err)
		const draws = 200_000
		s := w.Sampler(draws, 11, 5)
		require.Equal(t, draws, s.Len())
		counts, sum, largest := make([]int, len(weights)), 0.0, 0.0
		for i := range draws {
			counts[s.At(i)]++
		}
		for _, v := range weights {
			largest = max(largest, v)
		}
		for _, v := range weights {
			sum += v / largest
		}
		for id, k := range counts {
			p := weights[id] / largest / sum
			deviation := math.Sqrt(draws * p * (1 - p))
			require.InDelta(t, draws*p, k, 6*deviation+1, "id %d", id)
			if p == 0 {
				require.Zero(t, k)
			}
		}
	}
	for _, weights := range [][]float64{nil, {0, 0}, {1, -1}, {math.NaN()}, {math.Inf(1)}} {
		_, err := order.NewWeights(weights)
		assert.Error(t, err)
	}
}

func TestBalanced(t *testing.T) {
	labels := []int64{3, 3, 3, 3, 3, 3, 3, 0, 0, -1, 90, 3, 0}
	c := order.NewClasses(len(labels), func(id int) int64 { return labels[id] })
	require.Equal(t, 3, c.Len())
	perID := map[int]int{}
	orders := map[[3]int64]bool{}
	const epochs, draws = 16, 7
	for epoch := range uint64(epochs) {
		s := c.Sampler(draws, 3, epoch)
		counts := map[int64]int{}
		var round [3]int64
		for i := range s.Len() {
			id := s.At(i)
			perID[id]++
			counts[labels[id]]++
			if round[i%3] = labels[id]; i%3 == 2 {
				orders[round] = true
				require.Equal(t, []int{(i + 1) / 3, (i + 1) / 3, (i + 1) / 3}, []int{counts[0], counts[3], counts[90]},
					"position %d", i)
			}
		}
	}
	assert.Len(t, orders, 6, "rounds come in all orders")
	assert.Zero(t, perID[9], "no class")
	for id, label := range labels {
		if label == 3 { // 3 rounds per epoch, the last with only one class: 48 draws from 8 samples, minus those not made
			assert.InDelta(t, 5, perID[id], 2, "sample %d: over epochs all of a class come equally often", id)
		}
	}
	assert.Equal(t, 12, c.Sampler(0, 0, 0).Len(), "by default, as many as there are")
	none := order.NewClasses(3, func(int) int64 { return -1 })
	assert.Empty(t, ids(none.Sampler(0, 0, 0)))
	assert.Panics(t, func() { none.Sampler(1, 0, 0) })
	assert.Panics(t, func() { c.Sampler(-1, 0, 0) })
	assert.Panics(t, func() { order.NewClasses(-1, nil) })
}

func TestBucketed(t *testing.T) {
	r := seed.Rand(t)
	for range 300 {
		n, count, batch := r.IntN(400), 1+r.IntN(12), 1+r.IntN(20)
		lengths := make([]int, n)
		for i := range lengths {
			lengths[i] = r.IntN(1000)
		}
		b := order.NewBuckets(n, count, func(id int) int { return lengths[id] })
		requireBijection(t, b.Sampler(batch, r.Uint64(), 1), nil)
	}
	assert.Panics(t, func() { order.NewBuckets(1, 0, nil) })
	assert.Panics(t, func() { order.NewBuckets(0, 1, nil).Sampler(0, 0, 0) })
}

// TestBucketedPadsLess uses lengths like those of audio clips, in batches of 32.
func TestBucketedPadsLess(t *testing.T) {
	const n, batch = 20_000, 32
	lengths := make([]int, n)
	for id := range lengths {
		r := order.NewRand(1, 0, uint64(id), 0)
		lengths[id] = int(1000 * math.Exp(r.Float64()*3))
	}
	length := func(id int) int { return lengths[id] }
	b := order.NewBuckets(n, 50, length)
	s := b.Sampler(batch, 1, 0)
	shuffled, bucketed := order.Padding(order.NewPermutation(n, 1, 0), batch, length), order.Padding(s, batch, length)
	t.Logf("padding %.3f, shuffled %.3f", bucketed, shuffled)
	assert.Greater(t, shuffled, 0.5)
	assert.Less(t, bucketed, 0.06)
	first := [2]float64{}
	for i := range n {
		first[i/(n/2)] += float64(lengths[s.At(i)]) / (n / 2)
	}
	assert.InEpsilon(t, first[0], first[1], 0.05, "batches of all lengths come at all times")
	assert.Zero(t, order.Padding(order.Sequential(0), 3, length))
}

func TestShardsIsBijection(t *testing.T) {
	r := seed.Rand(t)
	for range 1000 {
		sizes := make([]int, r.IntN(8))
		for i := range sizes {
			sizes[i] = r.IntN(40)
		}
		o := order.ShardOptions{Window: r.IntN(50), Streams: r.IntN(6), Run: r.IntN(7)}
		s := order.NewShards(sizes, o, r.Uint64(), 1)
		requireBijection(t, s, s.IndexOf)
	}
	assert.Panics(t, func() { order.NewShards([]int{-1}, order.ShardOptions{}, 0, 0) })
	assert.Panics(t, func() { order.NewShards(nil, order.ShardOptions{Window: -1}, 0, 0) })
}

// requireBijection checks that each id comes once, at the position that index returns.
func requireBijection(t *testing.T, s order.Sampler, index func(int) int) {
	t.Helper()
	seen := make([]bool, s.Len())
	for i := range s.Len() {
		id := s.At(i)
		require.False(t, seen[id], "%d comes twice", id)
		seen[id] = true
		if index != nil {
			require.Equal(t, i, index(id))
		}
	}
	for _, i := range []int{-1, s.Len(), math.MinInt, math.MaxInt} {
		require.Panics(t, func() { s.At(i) })
	}
}

// TestShardsAtATime checks that a stream's window has samples of no more shards than it can span, and that ranks read
// their own shards.
func TestShardsAtATime(t *testing.T) {
	const shards, size, window, world, run = 64, 1000, 8000, 4, 32
	sizes := make([]int, shards)
	for i := range sizes {
		sizes[i] = size
	}
	s := order.NewShards(sizes, order.ShardOptions{Window: window, Streams: world, Run: run}, 5, 1)
	users := make([]map[int]bool, shards)
	for rank := range world {
		share := order.State{}.Share(s, order.Split{World: world, Run: run}, rank)
		require.Equal(t, shards*size/world, share.Len())
		for from := 0; from < share.Len(); from += window {
			open := map[int]bool{}
			for i := from; i < from+window; i++ {
				shard := share.At(i) / size
				open[shard] = true
				if users[shard] == nil {
					users[shard] = map[int]bool{}
				}
				users[shard][rank] = true
			}
			require.LessOrEqual(t, len(open), window/size+1)
		}
	}
	for shard, ranks := range users {
		assert.Len(t, ranks, 1, "shard %d", shard)
	}
}

// TestMixing compares Mixing with its formula, and Shards with its documentation.
func TestMixing(t *testing.T) {
	const shards, size, batch = 100, 1000, 256
	sizes := make([]int, shards)
	for i := range sizes {
		sizes[i] = size
	}
	of := func(id int) int { return id / size }
	want := func(groups float64) float64 { return 1 / (1.0/batch + (1-1.0/batch)/groups) }
	assert.InEpsilon(t, 1, order.Mixing(order.Sequential(shards*size), batch, of), 0.2)
	assert.InEpsilon(t, want(shards), order.Mixing(order.NewPermutation(shards*size, 1, 0), batch, of), 0.02)
	for _, c := range []struct {
		o      order.ShardOptions
		groups float64
	}{
		{order.ShardOptions{}, 100. / 7},
		{order.ShardOptions{Window: 4 * size}, 4},
		{order.ShardOptions{Window: 5 * size, Streams: 4}, 20},
		{order.ShardOptions{Window: 50 * size}, 50},
	} {
		got := order.Mixing(order.NewShards(sizes, c.o, 1, 0), batch, of)
		t.Logf("%+v: %.1f", c.o, got)
		assert.InEpsilon(t, want(c.groups), got, 0.06, "%+v", c.o)
	}
	assert.Zero(t, order.Mixing(order.Sequential(3), batch, of), "no whole batch")
}

// TestSamplersAreFunctionsOfPositions checks that any position can be queried directly, also of 10^12 samples, and that
// queries do not allocate.
func TestSamplersAreFunctionsOfPositions(t *testing.T) {
	const many = 1_000_000_000_000
	weights, err := order.NewWeights([]float64{1, 2, 3})
	require.NoError(t, err)
	classes := order.NewClasses(100, func(id int) int64 { return int64(id % 7) })
	mix, err := order.NewMix([]order.Part{
		{Weight: 0.7, Samples: func(epoch uint64) order.Sampler { return order.NewPermutation(many, 1, epoch) }},
		{Weight: 0.3, First: many, Samples: func(epoch uint64) order.Sampler { return order.NewPermutation(10, 2, epoch) }},
	})
	require.NoError(t, err)
	for name, s := range map[string]order.Sampler{
		"permutation": order.NewPermutation(many, 1, 2),
		"replacement": order.NewReplacement(many, many, 1, 2),
		"weighted":    weights.Sampler(many, 1, 2),
		"balanced":    classes.Sampler(many, 1, 2),
		"mixture":     mix.Sampler(many, 2),
		"shards": order.NewShards([]int{many / 2, many / 4, many / 4}, order.ShardOptions{Window: 100_000, Streams: 8},
			1, 2),
		"share": order.State{}.Share(order.NewPermutation(many, 1, 2), order.Split{World: 1000, Run: 256}, 77),
	} {
		at := s.Len() - 1
		assert.NotPanics(t, func() { s.At(at) }, name)
		if name != "mixture" { // a mixture may have to begin a pass
			assert.Zero(t, testing.AllocsPerRun(10, func() { s.At(at / 2) }), name)
		}
	}
}

func BenchmarkSamplers(b *testing.B) {
	const n = 1_281_167
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(i%100 + 1)
	}
	table, err := order.NewWeights(weights)
	require.NoError(b, err)
	classes := order.NewClasses(n, func(id int) int64 { return int64(id / 1282) })
	buckets := order.NewBuckets(n, 50, func(id int) int { return id * 7919 % 5000 })
	sizes := make([]int, 1000)
	for i := range sizes {
		sizes[i] = 1281
	}
	mix, err := order.NewMix([]order.Part{
		{Weight: 0.7, Samples: func(uint64) order.Sampler { return order.Sequential(n) }},
		{Weight: 0.3, Samples: func(uint64) order.Sampler { return order.Sequential(1000) }},
	})
	require.NoError(b, err)
	for _, s := range []struct {
		name string
		of   order.Sampler
	}{
		{"Replacement", order.NewReplacement(n, n, 1, 2)},
		{"Weighted", table.Sampler(n, 1, 2)},
		{"Balanced", classes.Sampler(n, 1, 2)},
		{"Bucketed", buckets.Sampler(32, 1, 2)},
		{"Shards", order.NewShards(sizes, order.ShardOptions{Streams: 8, Run: 32}, 1, 2)},
		{"Mixture", mix.Sampler(n, 2)},
		{"Share", order.State{}.Share(order.Sequential(n), order.Split{World: 8, Run: 32}, 3)},
	} {
		b.Run(s.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				_ = s.of.At(i)
				i = (i + 7919) % s.of.Len()
			}
		})
	}
}
