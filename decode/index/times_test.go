package index_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
)

// The table of SPDL's tests, at 25 frames a second.
func TestWindow(t *testing.T) {
	x := steady(t, 50, 25, 10)
	for _, test := range []struct {
		start, end float64
		want       []float64
	}{
		{0, 0, nil}, {1, 1, nil}, {0, .04, []float64{0}}, {0, .08, []float64{0, .04}}, {.04, .08, []float64{.04}},
		{0, .02, []float64{0}}, {.02, .04, nil}, {.04, .06, []float64{.04}}, {.01, .08, []float64{.04}},
		{.03, .12, []float64{.04, .08}}, {0, .041, []float64{0, .04}}, {0, .081, []float64{0, .04, .08}},
		{2, 3, nil}, {100, 200, nil}, {1.9, 100, []float64{1.92, 1.96}}, {-5, .01, []float64{0}}, {.08, .04, nil},
		{math.Inf(-1), .01, []float64{0}}, {1.96, math.Inf(1), []float64{1.96}}, {math.NaN(), 1, nil}, {0, math.NaN(), nil},
	} {
		t.Run(fmt.Sprintf("%v,%v", test.start, test.end), func(t *testing.T) {
			first, n := x.Window(test.start, test.end)
			var got []float64
			for i := range n {
				got = append(got, x.Time(first+i))
			}
			assert.Equal(t, test.want, got)
		})
	}
	first, n := x.Window(1, 2)
	assert.Equal(t, [2]int{25, 25}, [2]int{first, n})
}

func TestAt(t *testing.T) {
	x := steady(t, 50, 25, 10)
	for seconds, want := range map[float64]int{0: 0, .02: 0, .039: 0, .04: 1, .05: 1, 1: 25, 1.96: 49, 1.99: 49} {
		n, err := x.At(seconds)
		require.NoError(t, err)
		assert.Equal(t, want, n, "at %v", seconds)
	}
	for _, seconds := range []float64{-.001, 2, 100, math.Inf(1), math.Inf(-1), math.NaN()} {
		_, err := x.At(seconds)
		require.ErrorIs(t, err, spool.ErrNoSuchFrame, "at %v", seconds)
	}
	_, err := x.At(2)
	assert.ErrorContains(t, err, "50 frames are shown in [0, 2)")
	_, err = build(t, nil, index.Ratio{Num: 1, Den: 25}).At(0)
	assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
}

// The time that is reported for a frame finds this frame, in a time base whose ticks are not decimal fractions.
func TestTimesFindTheirFrames(t *testing.T) {
	packets := make([]index.Packet, 1000)
	for i := range packets {
		packets[i] = index.Packet{PTS: 250000 + int64(i)*1001, Duration: 1001}
	}
	x := build(t, packets, index.Ratio{Num: 1, Den: 30000})
	for n := range packets {
		got, err := x.At(x.Time(n))
		require.NoError(t, err)
		require.Equal(t, n, got)
		first, k := x.Window(x.Time(n), x.End(n))
		require.Equal(t, [2]int{n, 1}, [2]int{first, k})
	}
}

// Frames of unequal duration, in presentation order whatever the decoding order is.
func TestVariableRate(t *testing.T) {
	x := build(t, []index.Packet{{PTS: 1000, Flags: index.Key}, {PTS: 1900, Duration: 100}, {PTS: 1100}, {PTS: 1600}},
		index.Ratio{Num: 1, Den: 1000})
	var times, durations []float64
	for n := range x.Len() {
		times, durations = append(times, x.Time(n)), append(durations, x.Duration(n))
	}
	assert.Equal(t, []float64{1, 1.1, 1.6, 1.9}, times)
	assert.Equal(t, []float64{.1, .5, .3, .1}, durations)
	n, err := x.At(1.59)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// The last frame's duration is derived from the available information.
func TestLastDuration(t *testing.T) {
	base := index.Ratio{Num: 1, Den: 100}
	assert.Equal(t, .07, build(t, []index.Packet{{PTS: 5}, {PTS: 9, Duration: 7}}, base).Duration(1), "its packet's")
	assert.Equal(t, .04, build(t, []index.Packet{{PTS: 5}, {PTS: 9}}, base).Duration(1), "that of the one before")
	one, err := index.New(index.File{}, index.Stream{Base: base, Rate: index.Ratio{Num: 25, Den: 1}},
		[]index.Packet{{PTS: 5}})
	require.NoError(t, err)
	assert.Equal(t, .04, one.Duration(0), "by the rate")
	assert.Equal(t, .01, build(t, []index.Packet{{PTS: 5}}, base).Duration(0), "a tick")
}

func TestResample(t *testing.T) {
	x := steady(t, 50, 25, 10)
	half, err := x.Resample(0, 2, 12.5)
	require.NoError(t, err)
	require.Len(t, half, 25)
	assert.Equal(t, []int{0, 2, 4}, half[:3])
	double, err := x.Resample(1, 1.2, 50)
	require.NoError(t, err)
	assert.Equal(t, []int{25, 25, 26, 26, 27, 27, 28, 28, 29, 29}, double)
	same, err := x.Resample(0, x.End(49), 25)
	require.NoError(t, err)
	assert.Len(t, same, 50)
	none, err := x.Resample(1, 1, 25)
	require.NoError(t, err)
	assert.Empty(t, none)
	for _, fps := range []float64{0, -1, math.NaN(), math.Inf(1), 1e30} {
		_, err := x.Resample(0, 1, fps)
		require.ErrorIs(t, err, spool.ErrOptions, "%v", fps)
	}
	_, err = x.Resample(0, math.Inf(1), 25)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = x.Resample(1, 3, 25)
	require.ErrorIs(t, err, spool.ErrNoSuchFrame)
}
