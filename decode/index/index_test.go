package index_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
)

var base = index.Ratio{Num: 1, Den: 25}

func TestFramesAreThoseShown(t *testing.T) {
	x := build(t, []index.Packet{
		{PTS: 0, Flags: index.Key | index.Discard},
		{PTS: 3},
		{PTS: 1},
		{PTS: 2, Flags: index.Hidden},
		{PTS: 3, Size: 7}, // the pts of another packet
		{PTS: index.NoPTS},
		{PTS: 5}, {PTS: 6, Flags: index.Field}, {PTS: 7}, {PTS: index.NoPTS, Flags: index.Field},
		{PTS: 8},
	}, base)
	var packets []int
	for n := range x.Len() {
		packets = append(packets, x.PacketOf(n))
		at, ok := x.FrameAt(x.Ticks(n))
		require.True(t, ok)
		require.Equal(t, n, at)
	}
	assert.Equal(t, []int{2, 1, 6, 8, 10}, packets)
	_, ok := x.FrameAt(2)
	assert.False(t, ok)
	require.NoError(t, x.Check(4))
	for _, n := range []int{-1, 5} {
		err := x.Check(n)
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		assert.ErrorContains(t, err, "the video's frame count is 5")
	}
}

// Of several packets with the same time, a decodable one is chosen.
func TestFramesBeforeTheFirstKeyPacket(t *testing.T) {
	x := build(t, []index.Packet{{PTS: 4}, {PTS: 5}, {PTS: 3, Flags: index.Key}, {PTS: 4}, {PTS: 6}}, base)
	var packets []int
	for n := range x.Len() {
		packets = append(packets, x.PacketOf(n))
	}
	assert.Equal(t, []int{2, 3, 1, 4}, packets)
}

// The last packet of a frame is that of its second field, which is no frame itself.
func TestFields(t *testing.T) {
	x := build(t, []index.Packet{{PTS: 0, Flags: index.Key}, {PTS: 1, Flags: index.Field}, {PTS: 4}, {PTS: 2},
		{PTS: index.NoPTS, Flags: index.Field}}, base)
	require.Equal(t, 3, x.Len())
	for n, want := range [][2]int{{0, 1}, {3, 4}, {2, 2}} {
		assert.Equal(t, want, [2]int{x.PacketOf(n), x.LastOf(n)})
	}
	for packet, want := range []int{0, 0, 2, 1, 1} {
		n, ok := x.FrameOf(packet)
		assert.True(t, ok)
		assert.Equal(t, want, n)
	}
	assert.Equal(t, []index.Run{{First: 0, Last: 4, Frames: []int{1}}}, x.Plan([]int{1}).Runs)
}

// Through is the time by which all frames are shown that the run's frames may be predicted from.
func TestThrough(t *testing.T) {
	x := build(t, []index.Packet{{PTS: 0, Flags: index.Key}, {PTS: 4}, {PTS: 2}, {PTS: 1, Flags: index.Disposable},
		{PTS: 3, Flags: index.Disposable}, {PTS: 9, Flags: index.Hidden}}, base)
	assert.Equal(t, int64(4), x.Through(index.Run{First: 0, Last: 3, Frames: []int{1}}))
	assert.Equal(t, int64(0), x.Through(index.Run{First: 0, Last: 0, Frames: []int{0}}))
	assert.Equal(t, int64(4), x.Through(index.Run{First: 0, Last: 5, Frames: []int{3}}))
}

func TestNumber(t *testing.T) {
	const none = index.NoPTS
	for _, test := range []struct{ pts, want []int64 }{
		{[]int64{none, none, none}, []int64{0, 40, 80}},
		{[]int64{none, 100, none}, []int64{60, 100, 140}},
		{[]int64{10, none, none, 40}, []int64{10, 20, 30, 40}},
		{[]int64{10, 5, 20, 21, 20}, []int64{10, 15, 20, 21, 61}},
		{[]int64{none, 7, none, 8, 200}, []int64{-33, 7, 71, 135, 200}}, // 8 leaves no room for the missing time before it
	} {
		packets := make([]index.Packet, len(test.pts))
		order := make([]int, len(test.pts))
		for i, pts := range test.pts { // in reverse order, for example
			order[i] = len(order) - 1 - i
			packets[order[i]] = index.Packet{PTS: pts, Duration: 40}
		}
		x, err := index.NewNumbered(index.File{}, index.Stream{Base: index.Ratio{Num: 1, Den: 1000}}, packets, order)
		require.NoError(t, err)
		assert.True(t, x.Stream.Numbered)
		var got []int64
		for n := range x.Len() {
			require.Equal(t, order[n], x.PacketOf(n))
			got = append(got, x.Ticks(n))
		}
		assert.Equal(t, test.want, got)
	}
	x, err := index.NewNumbered(index.File{}, index.Stream{Base: base}, make([]index.Packet, 4), []int{2})
	require.NoError(t, err)
	assert.Equal(t, 1, x.Len(), "a packet without a frame")
	for _, order := range [][]int{{4}, {-1}, {0, 0}} {
		_, err := index.NewNumbered(index.File{}, index.Stream{Base: base}, make([]index.Packet, 4), order)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
}

func TestTimed(t *testing.T) {
	packets := make([]index.Packet, 100)
	assert.True(t, index.Timed(packets))
	packets[50].PTS = index.NoPTS
	assert.True(t, index.Timed(packets), "one damaged packet")
	for i := range packets {
		packets[i].PTS = index.NoPTS
	}
	assert.False(t, index.Timed(packets))
	for i := range packets {
		packets[i].Flags = index.Hidden
	}
	assert.True(t, index.Timed(packets), "what is not shown needs no time")
	assert.True(t, index.Timed(nil))
}

func TestTimeBase(t *testing.T) {
	for _, b := range []index.Ratio{{}, {Num: 1}, {Num: -1, Den: 25}, {Num: 1, Den: -25}} {
		_, err := index.New(index.File{}, index.Stream{Base: b}, nil)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
}
