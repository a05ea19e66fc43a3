package order_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
)

// parts returns sequential parts of 10 samples each.
func parts(weights ...float64) []order.Part {
	var list []order.Part
	for k, w := range weights {
		list = append(list, order.Part{Weight: w, First: 10 * k,
			Samples: func(uint64) order.Sampler { return order.Sequential(10) }})
	}
	return list
}

// TestMixtureIsExact checks that at each position of three epochs, the count of each part is its share, rounded down or
// up.
func TestMixtureIsExact(t *testing.T) {
	r := seed.Rand(t)
	cases := [][]float64{{1}, {0.7, 0.3}, {1, 1, 1, 1}, {1, 0, 2}, {0.1, 0.2, 0.3, 0.4}, {1000, 1},
		{0.9, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01},
		{1281167, 50000}, {0.25, 0.25, 0.25, 0.225, 0.025}, {math.Sqrt2, 1, math.Pi}, {1e-30, 1}}
	for range short.Of(200, 20) {
		weights := make([]float64, 1+r.IntN(30))
		for k := range weights {
			weights[k] = float64(r.IntN(1 << r.IntN(12)))
		}
		weights[0]++
		cases = append(cases, weights)
	}
	for _, weights := range cases {
		m, err := order.NewMix(parts(weights...))
		require.NoError(t, err)
		shares, sum := m.Counts(), 0
		for _, k := range shares {
			sum += k
		}
		require.Equal(t, m.Period(), sum)
		const draws = 5000
		counts := make([]int, len(weights))
		for epoch := range uint64(3) {
			s := m.Sampler(draws, epoch)
			for i := range draws {
				k := s.Part(i)
				counts[k]++
				at := int(epoch)*draws + i + 1
				for k, n := range counts {
					if down := at * shares[k] / sum; n < down || n > down+1 || n > down && at*shares[k]%sum == 0 {
						t.Fatalf("%v: %d of part %d in %d", weights, n, k, at)
					}
				}
				if id := s.At(i); id/10 != k {
					t.Fatalf("id %d is not of part %d", id, k)
				}
			}
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		shares  []int
	}{
		{[]float64{0.7, 0.3}, []int{7, 3}},
		{[]float64{0.1, 0.2, 0.3}, []int{1, 2, 3}},
		{[]float64{1. / 3, 1. / 3, 1. / 3}, []int{1, 1, 1}},
		{[]float64{5e300, 5e300}, []int{1, 1}},
		{[]float64{0, 0.125, 0}, []int{0, 1, 0}},
		{[]float64{64, 36, 900}, []int{16, 9, 225}},
		{[]float64{1e-30, 1}, []int{1, 1<<20 - 1}},
		{[]float64{1281167, 50000}, []int{1009190, 39386}},
		{[]float64{math.Sqrt2, 1}, []int{614242, 434334}},
	} {
		m, err := order.NewMix(parts(c.weights...))
		require.NoError(t, err)
		assert.Equal(t, c.shares, m.Counts())
	}
}

// TestMixturePasses checks that a part begins its next pass after its last sample, also across epochs.
func TestMixturePasses(t *testing.T) {
	m, err := order.NewMix([]order.Part{
		{Weight: 3, Samples: func(pass uint64) order.Sampler { return order.NewPermutation(100, 1, pass) }},
		{Weight: 1, First: 100, Samples: func(pass uint64) order.Sampler { return order.NewPermutation(7, 2, pass) }},
	})
	require.NoError(t, err)
	var small []int
	for epoch := range uint64(5) {
		s := m.Sampler(40, epoch)
		for i := range s.Len() {
			if id := s.At(i); id >= 100 {
				small = append(small, id-100)
			}
		}
	}
	require.Len(t, small, 50)
	for pass := range uint64(7) {
		assert.Equal(t, ids(order.NewPermutation(7, 2, pass)), small[7*pass:7*pass+7])
	}
	assert.Equal(t, 107, m.Sampler(0, 0).Len())
}

func TestMixesThatAreNone(t *testing.T) {
	for _, weights := range [][]float64{nil, {0}, {0, 0}, {-1, 2}, {math.NaN()}, {math.Inf(1)}} {
		_, err := order.NewMix(parts(weights...))
		assert.Error(t, err, "%v", weights)
	}
	_, err := order.NewMix([]order.Part{{Weight: 1, Samples: func(uint64) order.Sampler { return order.Sequential(0) }}})
	assert.Error(t, err)
	_, err = order.NewMix(make([]order.Part, 1<<16+1))
	assert.Error(t, err)
	m, err := order.NewMix([]order.Part{{Weight: 1,
		Samples: func(pass uint64) order.Sampler { return order.Sequential(1 + int(pass)) }}})
	require.NoError(t, err)
	assert.Panics(t, func() { m.Sampler(10, 0).At(3) }, "a pass of another length")
	assert.Panics(t, func() { m.Sampler(-1, 0) })
}

// TestManySmallParts checks that parts too small for the table get one turn each.
func TestManySmallParts(t *testing.T) {
	weights := make([]float64, short.Of(60_000, 600))
	for k := range weights {
		weights[k] = 1e-12
		if k%3 == 0 {
			weights[k] = 1 + math.Sqrt(float64(k))
		}
	}
	m, err := order.NewMix(parts(weights...))
	require.NoError(t, err)
	require.Equal(t, 1<<20, m.Period())
	for k, n := range m.Counts() {
		require.Positive(t, n, "part %d", k)
	}
}
