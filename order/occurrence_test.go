package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/order"
)

// bare hides a sampler's own occurrences.
type bare struct{ order.Sampler }

// repeaters returns samplers that repeat ids, or could.
func repeaters(t *testing.T, epoch uint64) map[string]order.Sampler {
	t.Helper()
	weights, err := order.NewWeights([]float64{1, 2, 3, 0, 40})
	require.NoError(t, err)
	mix, err := order.NewMix([]order.Part{
		{Weight: 0.7, Samples: func(pass uint64) order.Sampler { return order.NewPermutation(9, 1, pass) }},
		{Weight: 0.2, First: 9, Samples: func(uint64) order.Sampler { return order.Sequential(40) }},
		{Weight: 0.1, First: 5, Samples: func(uint64) order.Sampler { return order.List{1, 1, 2} }},
	})
	require.NoError(t, err)
	balanced := func(n int) order.Sampler {
		return order.NewClasses(60, func(id int) int64 { return int64(id*id%7) - 1 }).Sampler(n, 3, epoch)
	}
	return map[string]order.Sampler{
		"list":          order.List{5, 5, 1 << 40, 2, 5, 1 << 40, 3},
		"weighted":      weights.Sampler(200, 1, epoch),
		"replacement":   order.NewReplacement(20, 200, 1, epoch),
		"mixture":       mix.Sampler(200, epoch),
		"balanced":      balanced(0),
		"few drawn":     balanced(11),
		"many drawn":    balanced(333),
		"bucketed":      order.NewBuckets(50, 3, func(id int) int { return id % 11 }).Sampler(4, 1, epoch),
		"permutation":   order.NewPermutation(33, 1, epoch),
		"shards":        order.NewShards([]int{10, 0, 23}, order.ShardOptions{}, 1, epoch),
		"first":         order.First(weights.Sampler(200, 1, epoch), 57),
		"first of once": order.First(order.NewPermutation(33, 1, epoch), 10),
		"repeated":      order.Repeated(weights.Sampler(70, 1, epoch), 3),
		"once repeated": order.Repeated(order.NewPermutation(33, 1, epoch), 2),
		"unknown":       bare{weights.Sampler(200, 1, epoch)},
	}
}

// TestOccurrences checks how often an id came before, for every sampler and from any first position.
func TestOccurrences(t *testing.T) {
	for epoch := range uint64(4) {
		for name, s := range repeaters(t, epoch) {
			seen := map[int]int{}
			backwards := order.Counted(s)
			backwards.Occurrence(s.Len() - 1)
			forwards := order.Counted(s)
			for i := range s.Len() {
				id := s.At(i)
				require.Equal(t, seen[id], forwards.Occurrence(i), "%s: position %d of epoch %d", name, i, epoch)
				require.Equal(t, seen[id], backwards.Occurrence(i), name)
				require.Equal(t, id, forwards.At(i), name)
				seen[id]++
			}
		}
	}
}

// TestSharedOccurrences checks that all ranks together have each id with each of its occurrences once. Padding has
// further occurrences, and is reported.
func TestSharedOccurrences(t *testing.T) {
	type key struct{ id, occurrence int }
	for name, s := range repeaters(t, 2) {
		counted := order.Counted(s)
		for _, world := range []int{1, 2, 3, 8, 50} {
			for _, run := range []int{1, 4} {
				own, all := map[key]bool{}, map[key]bool{}
				positions, padded := 0, 0
				for rank := range world {
					share := order.State{}.Share(s, order.Split{World: world, Run: run}, rank)
					for i := range share.Len() {
						k := key{share.At(i), share.Occurrence(i)}
						require.False(t, all[k], "%s: %v again, with %d ranks", name, k, world)
						all[k] = true
						if positions++; share.Padding(i) {
							padded++
							continue
						}
						own[k] = true
						require.Equal(t, counted.Occurrence(share.Position(i)), k.occurrence)
					}
					require.Zero(t, share.Dropped)
				}
				require.Len(t, own, s.Len(), name)
				require.Equal(t, positions-s.Len(), padded, name)
				require.Equal(t, order.State{}.Share(s, order.Split{World: world, Run: run}, 0).Padded, padded)
			}
		}
	}
}

// TestOccurrencesOfTheRest checks that samples keep their occurrences when they are shared again.
func TestOccurrencesOfTheRest(t *testing.T) {
	for name, s := range repeaters(t, 1) {
		counted := order.Counted(s)
		state, err := order.State{Epoch: 1}.Advance(s.Len(), order.Split{World: 2, Run: 2}, []int{3, 1})
		require.NoError(t, err)
		for rank := range 3 {
			share := state.Share(s, order.Split{World: 3, Run: 1, Rest: order.Uneven}, rank)
			for i := range share.Len() {
				assert.Equal(t, counted.Occurrence(share.Position(i)), share.Occurrence(i), name)
				assert.False(t, share.Padding(i))
			}
		}
	}
}

// TestDraw checks that the first occurrence of an id has the same numbers as in earlier releases. Those of further
// occurrences are independent.
func TestDraw(t *testing.T) {
	key := order.Draw{Seed: 42, Epoch: 3, ID: 1_000_000}
	first, known := key.Rand(7), order.NewRand(42, 3, 1_000_000, 7)
	require.Equal(t, known, first)
	require.Equal(t, uint64(0x6c5fcd75e51aaa79), first.Uint64()) // as in TestStable
	key.Occurrence = 1
	second := key.Rand(7)
	require.Equal(t, uint64(0x830f2fa6341713a9), second.Uint64()) // NumPy's Philox with the key (42, 1<<8)

	seen := map[uint64]bool{}
	for _, occurrence := range []int{0, 1, 2, 255, 256, 1 << 20, 1 << 54} {
		for op := range uint64(3) {
			r := order.Draw{Seed: 1, Epoch: 2, ID: 3, Occurrence: occurrence}.Rand(op)
			for range 10 {
				seen[r.Uint64()] = true
			}
		}
	}
	require.Len(t, seen, 7*3*10)
}
