package index_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
)

func TestEven(t *testing.T) {
	assert.Equal(t, []int{9, 28, 46, 65, 84, 103, 121, 140, 159, 178, 196, 215, 234, 253, 271, 290}, index.Even(300, 16))
	assert.Equal(t, []int{0, 1, 2}, index.Even(3, 3))
	assert.Equal(t, []int{0, 0, 1, 2, 2}, index.Even(3, 5))
	assert.Equal(t, []int{0, 0}, index.Even(1, 2))
	assert.Empty(t, index.Even(0, 4))
	assert.Empty(t, index.Even(4, 0))
	for n := 1; n < 60; n++ {
		for k := 1; k < 60; k++ {
			for i, got := range index.Even(n, k) {
				require.Equal(t, min(n-1, int(math.Floor((float64(i)+.5)*float64(n)/float64(k)))), got, "%d of %d of %d", i, k, n)
			}
		}
	}
}

func TestRange(t *testing.T) {
	for _, test := range []struct {
		from, to, step int
		want           []int
		err            error
	}{
		{0, 5, 2, []int{0, 2, 4}, nil}, {3, 10, 100, []int{3}, nil}, {4, 4, 1, []int{}, nil}, {9, 2, 1, []int{}, nil},
		{0, 11, 1, nil, spool.ErrNoSuchFrame}, {-1, 3, 1, nil, spool.ErrOptions}, {0, 3, 0, nil, spool.ErrOptions},
		{0, -3, 1, nil, spool.ErrOptions},
	} {
		got, err := index.Range(10, test.from, test.to, test.step)
		assert.Equal(t, test.want, got)
		assert.ErrorIs(t, err, test.err)
	}
}

// The results of torchcodec 0.17's samplers for the same arguments.
func TestRegularClips(t *testing.T) {
	for _, test := range []struct {
		clips index.Clips
		n     int
		want  []int
	}{
		{index.Clips{}, 10, []int{0}},
		{index.Clips{Clips: 3}, 10, []int{0, 4, 9}},
		{index.Clips{Clips: 2, Frames: 3, Stride: 2}, 10, []int{0, 2, 4, 5, 7, 9}},
		{index.Clips{Clips: 2, Frames: 3, From: 7, To: 9}, 10, []int{7, 8, 9, 8, 9, 9}},
		{index.Clips{Clips: 2, Frames: 4, From: 7, To: 9, Past: index.Wrap}, 10, []int{7, 8, 9, 7, 8, 9, 8, 9}},
		{index.Clips{Clips: 1, Frames: 5, Stride: 4, From: 5}, 10, []int{5, 9, 9, 9, 9}},
		{index.Clips{Clips: 2, From: -4, To: -1}, 10, []int{6, 8}},
		{index.Clips{Clips: 2, Frames: 20, From: 3, To: 4, Stride: 5, Past: index.Wrap}, 10,
			[]int{3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3, 8, 3,
				8, 3, 8}},
	} {
		got, err := test.clips.Regular(test.n)
		require.NoError(t, err)
		assert.Equal(t, test.want, got, "%+v", test.clips)
	}
}

func TestClipsRefuse(t *testing.T) {
	for _, c := range []index.Clips{{Clips: -1}, {Frames: -1}, {Stride: -1}, {Past: 3}, {From: 10}, {From: -11},
		{From: 5, To: 5}, {From: 5, To: -6},
		{Clips: 1 << 20, Frames: 1 << 20}, {Stride: math.MaxInt}} {
		_, err := c.Regular(10)
		require.ErrorIs(t, err, spool.ErrOptions, "%+v", c)
	}
	_, err := index.Clips{}.Regular(0)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = index.Clips{Frames: 4, From: 7, To: 8, Past: index.Refuse}.Regular(10)
	require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	assert.ErrorContains(t, err, "needs frame 10: the video's frame count is 10")
}

// Every position occurs about equally often, and clips are within the video if they fit.
func TestRandomClips(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	clips := index.Clips{Clips: 8000, Frames: 3, Stride: 4}
	got, err := clips.Random(16, rng)
	require.NoError(t, err)
	require.Len(t, got, 24000)
	seen := make([]int, 16)
	for i := 0; i < len(got); i += 3 {
		require.Equal(t, []int{got[i], got[i] + 4, got[i] + 8}, got[i:i+3])
		seen[got[i]]++
	}
	for place, times := range seen {
		if place < 8 {
			assert.InDelta(t, 1000, times, 150, "place %d", place)
		} else {
			assert.Zero(t, times)
		}
	}
	again, err := clips.Random(16, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	assert.Equal(t, got, again)
}
