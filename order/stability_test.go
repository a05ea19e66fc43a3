package order_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/order"
)

// TestStable pins the numbers that the package promises never to change. If it fails, the change is wrong, not the
// test: every user's training order and augmentation would differ.
func TestStable(t *testing.T) {
	ids := func(n int, seed, epoch uint64) (ids []int) {
		p := order.NewPermutation(n, seed, epoch)
		for i := range min(n, 12) {
			ids = append(ids, p.At(i))
		}
		return ids
	}
	assert.Equal(t, []int{10, 7, 5, 11, 9, 2, 8, 4, 1, 6, 0, 3}, ids(12, 0, 0))
	assert.Equal(t, []int{1224872, 988673, 517666, 464118, 422414, 931572, 142429, 1189902, 339026, 1031773, 167091,
		932302},
		ids(1_281_167, 42, 3))
	assert.Equal(t, []int{8841418354901790422, 1802010706342001703, 1278977829274885517, 8063090960162011160,
		3810095419708944239, 2723565465763472709, 1588119462677905080, 1305907358760751837,
		8783981794519112763, 2907232891766890900, 6776117446406701646, 1473333355131938778},
		ids(math.MaxInt, 1, 1<<40))

	r := order.NewRand(42, 3, 1_000_000, 7)
	assert.Equal(t, []uint64{0x6c5fcd75e51aaa79, 0xcb1338f3ad00d48b, 0x12f8f0e542169cf5, 0xc4abc15cb1638e9d,
		0x697d3c3e00101a36},
		[]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	assert.Equal(t, []float64{0.025823075359924785, 0.4567504079426652}, []float64{r.Float64(), r.Float64()})
	assert.Equal(t, []int{5, 140, 533913488576, 234482900509302406},
		[]int{r.IntN(10), r.IntN(224), r.IntN(1 << 40), r.IntN(1<<62 + 1)})

	digest := sha256.New()
	for n := range 300 {
		p := order.NewPermutation(n, uint64(n)*7, uint64(n)%5)
		for i := range n {
			r := order.NewRand(1, 2, uint64(p.At(i)), 3)
			digest.Write(binary.LittleEndian.AppendUint64(nil, r.Uint64()))
		}
	}
	assert.Equal(t, "62e70c198590ad175b46972cf28ff5cde0a96690fec5fcbf9b5dd6dac11a58ed", fmt.Sprintf("%x", digest.Sum(nil)))
}

// TestStableSamplers pins the ids of every random sampler in the same way.
func TestStableSamplers(t *testing.T) {
	weights, err := order.NewWeights([]float64{1, 0.1, 3e5, 0, 7, 1. / 3, 2e4})
	require.NoError(t, err)
	classes := order.NewClasses(1000, func(id int) int64 { return int64(id*id%11) - 1 })
	buckets := order.NewBuckets(1000, 7, func(id int) int { return id * 7919 % 997 })
	mix, err := order.NewMix([]order.Part{
		{Weight: math.Sqrt2, Samples: func(pass uint64) order.Sampler { return order.NewPermutation(100, 1, pass) }},
		{Weight: 0.3, First: 100, Samples: func(pass uint64) order.Sampler { return order.NewReplacement(11, 5, 2, pass) }},
		{Weight: 0.2, First: 111, Samples: func(uint64) order.Sampler { return order.Sequential(3) }},
	})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		sampler order.Sampler
		want    string
	}{
		"replacement": {order.NewReplacement(1000, 1000, 1, 2), "f9b2a2bda0038694"},
		"weighted":    {weights.Sampler(1000, 1, 2), "fc2ac29fa58cab23"},
		"balanced":    {classes.Sampler(1000, 1, 2), "f1012f575942becf"},
		"bucketed":    {buckets.Sampler(16, 1, 2), "0523236a477bcbe4"},
		"shards": {order.NewShards([]int{100, 0, 300, 77, 523}, order.ShardOptions{Window: 130, Streams: 3, Run: 4}, 1,
			2), "2d54f9e92d42ba88"},
		"mixture": {mix.Sampler(1000, 2), "631ab5f9e6d3eafb"},
		"share": {order.State{Position: 100, Left: [][2]int{{5, 9}}}.Share(order.NewPermutation(1000, 1, 2),
			order.Split{World: 7, Run: 16}, 3), "454fc21c5663cc2c"},
	} {
		digest := sha256.New()
		for _, id := range ids(c.sampler) {
			digest.Write(binary.LittleEndian.AppendUint64(nil, uint64(id)))
		}
		assert.Equal(t, c.want, fmt.Sprintf("%x", digest.Sum(nil)[:8]), name)
	}
}
