package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/index"
)

// model is a model of a stream: its packets, and the references that each needs for decoding.
type model struct {
	packets []index.Packet
	refs    [][]int // packets that each packet is predicted from
	used    []bool  // which packets are references
}

// randomModel makes a stream of random GOPs, closed and open, of random lengths and depths of reordering. Some packets
// are cut off or never shown, and sometimes the key packet at the start is missing.
func randomModel(rng *rand.Rand) *model {
	f := &model{}
	add := func(pts int, flags index.Flags, refs ...int) int {
		n := len(f.packets)
		f.packets = append(f.packets, index.Packet{PTS: int64(pts), DTS: int64(n), Duration: 1, Pos: int64(n * 1000),
			Size: 1000, Flags: flags})
		f.refs, f.used = append(f.refs, refs), append(f.used, false)
		for _, r := range refs {
			f.used[r] = true
		}
		return n
	}
	// between adds the frames between pts a and b, both excluded, and between two anchors; the middle one first, as a
	// reference.
	var between func(a, b, left, right int)
	between = func(a, b, left, right int) {
		if b-a < 2 {
			return
		}
		pts := a + 1 + rng.IntN(b-a-1)
		flags := index.Flags(0)
		if rng.IntN(40) == 0 {
			flags = index.Discard
		}
		middle := add(pts, flags, left, right)
		if rng.IntN(2) == 0 { // a pyramid
			between(a, pts, f.refs[middle][0], middle)
			between(pts, b, middle, f.refs[middle][1])
			return
		}
		between(a, pts, left, right)
		between(pts, b, left, right)
	}
	pts, anchor := 0, -1
	if rng.IntN(5) == 0 { // a recording that begins within a GOP
		add(pts, 0)
		anchor, pts = 0, pts+1
	}
	for range 1 + rng.IntN(8) {
		open := anchor >= 0 && rng.IntN(2) == 0
		leading := 0
		if open {
			leading = rng.IntN(5)
		}
		key := add(pts+leading, index.Key)
		if leading > 0 {
			between(pts-1, pts+leading, anchor, key)
		}
		pts, anchor = pts+leading+1, key
		for range rng.IntN(6) {
			gap := rng.IntN(5)
			next := add(pts+gap, 0, anchor)
			if rng.IntN(10) == 0 {
				f.packets[next].Flags = index.Hidden
			}
			between(pts-1, pts+gap, anchor, next)
			pts, anchor = pts+gap+1, next
		}
	}
	return f
}

// decode models a decoder: it returns the whole frames of a run. It skips packets that are neither references nor
// wanted.
func (f *model) decode(run index.Run, wanted map[int]bool) (whole map[int]bool) {
	whole = map[int]bool{}
	for n := run.First; n <= run.Last; n++ {
		if !f.used[n] && !wanted[n] {
			continue
		}
		whole[n] = !slices.ContainsFunc(f.refs[n], func(r int) bool { return !whole[r] })
	}
	return whole
}

func TestPlanGivesTheFrames(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	opened, joined := 0, 0
	for round := range 4000 {
		f := randomModel(rng)
		x := build(t, f.packets, base)
		if x.Len() == 0 {
			continue
		}
		frames := make([]int, 1+rng.IntN(12))
		for i := range frames {
			frames[i] = rng.IntN(x.Len())
		}
		asked := slices.Clone(frames)
		p := x.Plan(frames)
		what := fmt.Sprintf("seed %d, round %d: %v of %+v: %+v", seed, round, frames, f.packets, p)
		require.Equal(t, asked, frames, "arguments are only read")

		wanted := map[int]bool{} // by packet
		for _, n := range frames {
			wanted[x.PacketOf(n)] = true
		}
		var planned []int
		last := -1
		for _, run := range p.Runs {
			require.Greater(t, run.First, last+min(1, last+1), what) // disjoint, in order, and not adjacent
			last = run.Last
			require.True(t, run.First == 0 || f.packets[run.First].Flags&index.Key != 0, what)
			require.True(t, wanted[run.Last], "nothing is decoded that is not needed: %s", what)
			require.True(t, slices.IsSorted(run.Frames), what)
			whole := f.decode(run, wanted)
			for _, n := range run.Frames {
				if !whole[x.PacketOf(n)] {
					require.Less(t, x.PacketOf(n), firstKey(f), "only what lacks a key packet cannot be had: frame %d: %s", n, what)
				}
			}
			planned = append(planned, run.Frames...)
			if len(run.Frames) > 1 {
				joined++
			}
			if f.packets[run.First].Flags&index.Key != 0 && x.Ticks(run.Frames[0]) > f.packets[run.First].PTS {
				opened++
			}
		}
		slices.Sort(frames)
		slices.Sort(planned)
		require.Equal(t, slices.Compact(frames), planned, what)
		require.Equal(t, planned, p.Frames, what)
	}
	assert.Greater(t, opened, 1000)
	assert.Greater(t, joined, 1000)
}

func firstKey(f *model) int {
	return slices.IndexFunc(f.packets, func(p index.Packet) bool { return p.Flags&index.Key != 0 })
}

func TestPlan(t *testing.T) {
	x := steady(t, 100, 25, 10)
	assert.Equal(t, index.Plan{
		Frames: []int{3, 7, 25, 30, 99},
		Runs: []index.Run{
			{First: 0, Last: 7, Frames: []int{3, 7}}, {First: 20, Last: 25, Frames: []int{25}},
			{First: 30, Last: 30, Frames: []int{30}}, {First: 90, Last: 99, Frames: []int{99}},
		},
	}, x.Plan([]int{99, 7, 3, 30, 7, 25}))
	assert.Equal(t, []index.Run{{First: 10, Last: 25, Frames: []int{19, 25}}}, x.Plan([]int{25, 19}).Runs,
		"what touches is one run")
	assert.Empty(t, x.Plan(nil).Runs)
}

// A frame shown before its preceding key packet needs the previous GOP.
func TestLeadingFrames(t *testing.T) {
	x := build(t, []index.Packet{
		{PTS: 0, Flags: index.Key}, {PTS: 2}, {PTS: 1}, // 0..2
		{PTS: 5, Flags: index.Key}, {PTS: 3}, {PTS: 4}, {PTS: 6}, // 3..6
	}, base)
	for frame, want := range []index.Run{{First: 0, Last: 0}, {First: 0, Last: 2}, {First: 0, Last: 1},
		{First: 0, Last: 4}, {First: 0, Last: 5},
		{First: 3, Last: 3}, {First: 3, Last: 6}} {
		want.Frames = []int{frame}
		assert.Equal(t, []index.Run{want}, x.Plan([]int{frame}).Runs)
	}
}

// If a run does not give a frame, the start moves back by key packets to the front, and ends there.
func TestEarlier(t *testing.T) {
	packets := steady(t, 40, 25, 10).Packets
	packets[0].Flags = 0
	x := build(t, packets, base)
	var starts []int
	for start, ok := x.Start(35), true; ok; start, ok = x.Earlier(start) {
		starts = append(starts, start)
	}
	assert.Equal(t, []int{30, 20, 10, 0}, starts)
	_, ok := x.KeyBefore(9)
	assert.False(t, ok)
}

func TestReadOn(t *testing.T) {
	x := steady(t, 1000, 25, 10)
	assert.True(t, x.ReadOn(5, 5))
	assert.True(t, x.ReadOn(5, 40))
	assert.False(t, x.ReadOn(5, 4), "backwards")
	assert.False(t, x.ReadOn(0, 900), "far")
	big := build(t, []index.Packet{{Pos: 0, Size: 1 << 20}, {Pos: 1 << 20}, {Pos: 1<<20 + 1}}, base)
	assert.False(t, big.ReadOn(0, 1), "large")
	assert.True(t, big.ReadOn(1, 2))
	nowhere := build(t, []index.Packet{{Pos: -1, Size: 1 << 20}, {Pos: -1, Size: 10}, {Pos: -1}}, base)
	assert.False(t, nowhere.ReadOn(0, 1))
	assert.True(t, nowhere.ReadOn(1, 2))
}

func BenchmarkPlan(b *testing.B) {
	x := steady(b, 300, 30, 250)
	frames := index.Even(300, 16)
	b.ReportAllocs()
	for b.Loop() {
		x.Plan(frames)
	}
}
