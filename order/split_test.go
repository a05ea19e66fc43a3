package order_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
)

func ids(s order.Sampler) []int {
	list := make([]int, s.Len())
	for i := range list {
		list[i] = s.At(i)
	}
	return list
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		name            string
		n               int
		split           order.Split
		want            [][]int
		padded, dropped int
	}{
		{"alone", 3, order.Split{}, [][]int{{0, 1, 2}}, 0, 0},
		{"even", 6, order.Split{World: 3}, [][]int{{0, 3}, {1, 4}, {2, 5}}, 0, 0},
		{"repeat", 7, order.Split{World: 3}, [][]int{{0, 3, 6}, {1, 4, 0}, {2, 5, 1}}, 2, 0},
		{"drop", 8, order.Split{World: 3, Rest: order.Drop}, [][]int{{0, 3}, {1, 4}, {2, 5}}, 0, 2},
		{"uneven", 8, order.Split{World: 3, Rest: order.Uneven}, [][]int{{0, 3, 6}, {1, 4, 7}, {2, 5}}, 0, 0},
		{"runs", 11, order.Split{World: 2, Run: 2}, [][]int{{0, 1, 4, 5, 8, 9}, {2, 3, 6, 7, 10, 0}}, 1, 0},
		{"runs, drop", 11, order.Split{World: 2, Run: 2, Rest: order.Drop}, [][]int{{0, 1, 4, 5, 8}, {2, 3, 6, 7, 9}}, 0, 1},
		{"more ranks than samples", 2, order.Split{World: 5}, [][]int{{0}, {1}, {0}, {1}, {0}}, 3, 0},
		{"dropped altogether", 2, order.Split{World: 3, Rest: order.Drop}, [][]int{{}, {}, {}}, 0, 2},
		{"empty", 0, order.Split{World: 2}, [][]int{{}, {}}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for rank, want := range c.want {
				s := order.State{}.Share(order.Sequential(c.n), c.split, rank)
				assert.Equal(t, want, ids(s), "rank %d", rank)
				assert.Equal(t, []int{c.padded, c.dropped}, []int{s.Padded, s.Dropped})
			}
		})
	}
}

// TestShareMeetsItsPromises checks random splits. Only the reported number of samples comes twice or never, and all
// ranks have equally many.
func TestShareMeetsItsPromises(t *testing.T) {
	r := seed.Rand(t)
	for range 2000 {
		n := r.IntN(300)
		split := order.Split{World: r.IntN(9), Run: r.IntN(20), Rest: order.Rest(r.IntN(3))}
		of := order.NewPermutation(n, r.Uint64(), 0)
		counts := make([]int, n)
		var lengths []int
		var share *order.Share
		for rank := range max(1, split.World) {
			share = order.State{}.Share(of, split, rank)
			lengths = append(lengths, share.Len())
			for i := range share.Len() {
				require.Equal(t, of.At(share.Position(i)), share.At(i))
				counts[share.At(i)]++
			}
		}
		slack := 0
		if split.Rest == order.Uneven {
			slack = 1
		}
		require.LessOrEqual(t, slices.Max(lengths)-slices.Min(lengths), slack, "%d by %+v", n, split)
		more, never := 0, 0
		for _, k := range counts {
			more += max(0, k-1)
			if k == 0 {
				never++
			}
		}
		require.Equal(t, []int{share.Padded, share.Dropped}, []int{more, never}, "%d by %+v", n, split)
		require.Less(t, max(more, never), max(1, split.World))
	}
}

// TestResume interrupts and resumes an epoch with other splits, at positions that differ between ranks. It compares the
// samples with the epoch as a set, and each run with the epoch's order.
func TestResume(t *testing.T) {
	r := seed.Rand(t)
	for range short.Of(10_000, 1000) {
		n := 1 + r.IntN(200)
		of := order.NewPermutation(n, r.Uint64(), 3)
		state, seen := order.State{Epoch: 3}, make([]int, n)
		for stop := 0; state.Epoch == 3; stop++ {
			require.NoError(t, state.Validate(n))
			split := order.Split{World: r.IntN(6), Run: r.IntN(10), Rest: order.Uneven}
			taken := make([]int, max(1, split.World))
			base := r.IntN(state.Remaining(n)/len(taken) + 2)
			marks := make([]order.Mark, len(taken))
			for rank := range taken {
				share := state.Share(of, split, rank)
				taken[rank] = min(share.Len(), max(0, base+r.IntN(5)-2))
				if stop > 20 {
					taken[rank] = share.Len()
				}
				for i := range taken[rank] {
					seen[share.Position(i)]++
					if i > 0 {
						require.Less(t, share.Position(i-1), share.Position(i), "in the order that all share")
					}
				}
				marks[rank] = order.Mark{State: state, Split: split, Rank: rank, Taken: taken[rank]}
			}
			same, at, err := order.Resume(n, marks[:1], split, 0)
			require.NoError(t, err)
			require.Equal(t, state, same, "an unchanged split goes on in its share")
			require.Equal(t, taken[0], at)

			next, err := state.Advance(n, split, taken)
			require.NoError(t, err)
			if other := (order.Split{World: split.World + 7}); len(marks) > 0 {
				r.Shuffle(len(marks), func(i, j int) { marks[i], marks[j] = marks[j], marks[i] })
				resumed, at, err := order.Resume(n, marks, other, 0)
				require.NoError(t, err)
				require.Zero(t, at)
				require.Equal(t, next, resumed)
			}
			state = next
			if state.Epoch == 3 {
				left := 0
				for _, k := range seen {
					if k == 0 {
						left++
					}
				}
				require.Equal(t, left, state.Remaining(n))
			}
		}
		for position, k := range seen {
			require.Equal(t, 1, k, "position %d of %d", position, n)
		}
	}
}

// TestResumeRepeatsAndDropsNoMore checks padding and dropping: an interrupted epoch differs from a whole one only in
// what its last split pads or drops.
func TestResumeRepeatsAndDropsNoMore(t *testing.T) {
	r := seed.Rand(t)
	for range 2000 {
		n, rest := 1+r.IntN(200), order.Rest(r.IntN(2))
		of, state, seen := order.Sequential(n), order.State{}, make([]int, n)
		for range 1 + r.IntN(3) {
			split := order.Split{World: 1 + r.IntN(5), Run: 1 + r.IntN(8), Rest: rest}
			steps := r.IntN(state.Remaining(n)/split.World/split.Run + 1)
			taken := slices.Repeat([]int{min(steps*split.Run, state.Share(of, split, 0).Len())}, split.World)
			next, err := state.Advance(n, split, taken)
			require.NoError(t, err)
			if next.Epoch > 0 {
				break
			}
			for rank := range split.World {
				share := state.Share(of, split, rank)
				for i := range taken[rank] {
					seen[share.Position(i)]++
				}
			}
			require.Empty(t, next.Left, "all ranks stopped at the same batch")
			state = next
		}
		split := order.Split{World: 1 + r.IntN(5), Rest: rest}
		for rank := range split.World {
			for i, share := 0, state.Share(of, split, rank); i < share.Len(); i++ {
				seen[share.Position(i)]++
			}
		}
		odd := 0
		for _, k := range seen {
			if k != 1 {
				odd++
			}
		}
		require.Less(t, odd, split.World)
	}
}

func TestStateAsJSON(t *testing.T) {
	for text, s := range map[string]order.State{
		`{"epoch":0,"position":0}`: {},
		`{"epoch":7,"position":1281167,"left":[[1280000,1280032],[1280100,1280101]]}`: {Epoch: 7, Position: 1_281_167,
			Left: [][2]int{{1_280_000, 1_280_032}, {1_280_100, 1_280_101}}},
	} {
		data, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Equal(t, text, string(data))
		var back order.State
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, s, back)
	}
	// Each of 32 ranks has skipped a different number of samples.
	split, taken := order.Split{World: 32, Run: 256}, make([]int, 32)
	for i := range taken {
		taken[i] = 1000*256 + i
	}
	s, err := order.State{}.Advance(1<<40, split, taken)
	require.NoError(t, err)
	mark, err := json.Marshal(order.Mark{State: s, Split: split, Rank: 31, Taken: 1_000_000_000})
	require.NoError(t, err)
	t.Logf("%d bytes", len(mark))
	assert.Less(t, len(mark), 1000)
}

func TestStatesThatAreNone(t *testing.T) {
	for _, s := range []order.State{
		{Position: -1}, {Position: 101}, {Position: 10, Left: [][2]int{{3, 3}}}, {Position: 10, Left: [][2]int{{-1, 3}}},
		{Position: 10, Left: [][2]int{{8, 11}}}, {Position: 10, Left: [][2]int{{4, 5}, {5, 6}}},
		{Position: 10, Left: [][2]int{{4, 5}, {1, 2}}},
	} {
		assert.Error(t, s.Validate(100), "%+v", s)
		assert.Panics(t, func() { s.Share(order.Sequential(100), order.Split{}, 0) })
		_, err := s.Advance(100, order.Split{}, []int{0})
		assert.Error(t, err)
		_, _, err = order.Resume(100, []order.Mark{{State: s}}, order.Split{}, 0)
		assert.Error(t, err)
	}
	for _, split := range []order.Split{{World: -1}, {Run: -1}, {Rest: 9}, {World: 1 << 30}, {Run: 1 << 41}} {
		assert.Error(t, split.Validate())
		assert.Panics(t, func() { order.State{}.Share(order.Sequential(100), split, 0) })
		_, _, err := order.Resume(100, nil, split, 0)
		assert.Error(t, err)
	}
	for _, taken := range [][]int{nil, {1}, {-1, 0}, {51, 0}, {1, 2, 3}} {
		_, err := order.State{}.Advance(100, order.Split{World: 2}, taken)
		assert.Error(t, err, "%v", taken)
	}
	two := order.Split{World: 2}
	for _, marks := range [][]order.Mark{
		{{Split: two, Rank: 0}, {Split: two, Rank: 0}},                                     // twice the same
		{{Split: two, Rank: 0}, {Rank: 1}},                                                 // of different runs
		{{Split: two, Rank: 2}},                                                            // no such rank
		{{Split: two, Rank: 0, Taken: 51}, {Rank: 1}},                                      // too many
		{{Split: order.Split{World: -3}}, {}, {}},                                          // an invalid split
		{{Split: order.Split{World: 3}, Rank: 0}, {Split: order.Split{World: 3}, Rank: 2}}, // two of three
	} {
		_, _, err := order.Resume(100, marks, order.Split{World: 4}, 0)
		assert.Error(t, err, "%+v", marks)
	}
	_, _, err := order.Resume(100, nil, two, 2)
	assert.Error(t, err)

	state, _, err := order.Resume(100, []order.Mark{{Split: two, Rank: 1, Taken: 10}}, order.Split{World: 3}, 0)
	require.NoError(t, err)
	assert.Equal(t, order.State{Position: 20}, state, "one mark stands for all")
}
