package order_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/order"
)

// TestPhiloxKnownAnswers compares philox with the vectors of Random123 1.14 (tests/kat_vectors, "philox4x64 10"). NumPy
// 2.4's Philox gives the same.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint64
	for _, v := range []struct {
		counter [4]uint64
		key     [2]uint64
		want    [4]uint64
	}{
		{want: [4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
		{[4]uint64{ones, ones, ones, ones}, [2]uint64{ones, ones},
			[4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
		{[4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
			[2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
			[4]uint64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
	} {
		assert.Equal(t, v.want, order.Philox(v.counter, v.key))
	}
}

// TestRandSequence checks the documented sequence of Rand: block k is philox of (k, id, epoch, op).
func TestRandSequence(t *testing.T) {
	r := order.NewRand(11, 22, 33, 44)
	for k := range uint64(3) {
		for _, want := range order.Philox([4]uint64{k, 33, 22, 44}, [2]uint64{11, 0}) {
			require.Equal(t, want, r.Uint64())
		}
	}
}

func TestRandIsAFunctionOfItsKey(t *testing.T) {
	r := order.NewRand(1, 2, 3, 4)
	first := r.Uint64()
	again := order.NewRand(1, 2, 3, 4)
	assert.Equal(t, first, again.Uint64())
	for _, other := range []order.Rand{
		order.NewRand(0, 2, 3, 4), order.NewRand(1, 0, 3, 4), order.NewRand(1, 2, 0, 4), order.NewRand(1, 2, 3, 0),
		order.NewRand(2, 1, 3, 4), order.NewRand(1, 3, 2, 4), order.NewRand(1, 2, 4, 3),
	} {
		assert.NotEqual(t, first, other.Uint64())
	}
}

// TestRandAcrossSamples tests the numbers that augmentation uses: the first draw of many ids.
func TestRandAcrossSamples(t *testing.T) {
	const cells = 100
	counts := make([]int, cells)
	inside := make([]int, cells)
	var sum float64
	const samples = 100_000
	for id := range uint64(samples) {
		r := order.NewRand(3, 1, id, 2)
		f := r.Float64()
		require.True(t, 0 <= f && f < 1)
		sum += f
		counts[int(f*cells)]++
		inside[r.IntN(cells)]++
	}
	assert.Less(t, math.Abs(chiSquare(counts, cells-1)), uniform)
	assert.Less(t, math.Abs(chiSquare(inside, cells-1)), uniform)
	assert.InDelta(t, 0.5, sum/samples, 5*math.Sqrt(1./12/samples))
}

func TestFloat64IsTheHigh53Bits(t *testing.T) {
	raw, r := order.NewRand(1, 2, 3, 4), order.NewRand(1, 2, 3, 4)
	for range 1000 {
		require.Equal(t, math.Ldexp(float64(raw.Uint64()>>11), -53), r.Float64())
	}
}

func TestIntN(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 1<<62 + 1, math.MaxInt} { // 1<<62+1 rejects a quarter of all draws
		r := order.NewRand(9, 0, 0, uint64(n))
		thirds := make([]int, 3)
		for range 30_000 {
			v := r.IntN(n)
			require.True(t, 0 <= v && v < n, "IntN(%d) = %d", n, v)
			thirds[int(float64(v)/float64(n)*3)%3]++
		}
		if n > 10 {
			assert.Less(t, math.Abs(chiSquare(thirds, 2)), uniform, "n %d", n)
		}
	}
	r := order.NewRand(0, 0, 0, 0)
	assert.Panics(t, func() { r.IntN(0) })
	assert.Panics(t, func() { r.IntN(-1) })
}

// TestIntNRejects: without rejection, the 2^64 raw values map to 3<<61 results with the counts 3, 3, 2, 3, 3, 2 ...
func TestIntNRejects(t *testing.T) {
	const n = 3 << 61
	r := order.NewRand(9, 0, 1, 0)
	thirds := make([]int, 3)
	for range 30_000 {
		thirds[r.IntN(n)%3]++
	}
	assert.Less(t, math.Abs(chiSquare(thirds, 2)), uniform)
}

func TestRandDoesNotAllocate(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		r := order.NewRand(1, 2, 3, 4)
		for range 5 {
			r.Float64()
		}
	}))
}

var _ rand.Source = (*order.Rand)(nil)

func BenchmarkRandFirstDraw(b *testing.B) {
	id := uint64(0)
	for b.Loop() {
		r := order.NewRand(1, 2, id, 3)
		r.Float64()
		id++
	}
}
