package resample_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
)

func TestFiltersKeep(t *testing.T) {
	filters := resample.Filters{MaxBytes: 100 << 10}
	get := func(in, out int) *resample.Filter {
		f, err := filters.Get(in, out, resample.Default)
		require.NoError(t, err)
		return f
	}
	first := get(44100, 16000) // 60 KB
	assert.Same(t, first, get(44100, 16000))
	assert.NotSame(t, first, get(48000, 16000))
	assert.Same(t, first, get(44100, 16000))
	get(44100, 22050)
	other := get(48000, 44100) // 28 KB, so one of them is evicted
	assert.Same(t, first, get(44100, 16000))
	assert.Same(t, other, get(48000, 44100))
	get(44100, 48000)
	get(44100, 32000)
	assert.NotSame(t, first, get(44100, 16000))

	small := resample.Filters{MaxBytes: 1}
	a, err := small.Get(44100, 16000, resample.Fast)
	require.NoError(t, err)
	b, err := small.Get(44100, 16000, resample.Fast)
	require.NoError(t, err)
	assert.NotSame(t, a, b)
}

func TestFiltersTogether(t *testing.T) {
	var filters resample.Filters
	var wg sync.WaitGroup
	list := make([]*resample.Filter, 16)
	for i := range list {
		wg.Go(func() {
			f, err := filters.Get(44100, 16000+i%2, resample.Fast)
			if assert.NoError(t, err) {
				list[i] = f
			}
		})
	}
	wg.Wait()
	for i := 2; i < len(list); i++ {
		assert.Same(t, list[i%2], list[i])
	}
}

func TestFiltersRefuse(t *testing.T) {
	var filters resample.Filters
	_, err := filters.Get(0, -5, 7)
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 3)
	_, err = filters.Get(1<<31, 16000, resample.Default)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = filters.Get(math.MaxInt32, 16000, resample.Default)
	require.ErrorIs(t, err, spool.ErrUnsupported)
}

// Filters are small for any rates.
func TestFiltersAreBounded(t *testing.T) {
	for _, rates := range [][2]int{{44100, 44099}, {1, math.MaxInt32}, {math.MaxInt32, math.MaxInt32 - 1},
		{1000003, 999983},
		{999983, 1000003}, {2000003, 4001}, {1 << 30, 1 << 20}, {4000037, 1000003}} {
		for q := range designs {
			f, err := (*resample.Filters)(nil).Get(rates[0], rates[1], q)
			require.NoError(t, err)
			assert.LessOrEqual(t, f.Bytes(), 2<<20, "%v %v", rates, q)
		}
	}
}

func TestFilter(t *testing.T) {
	f, err := (*resample.Filters)(nil).Get(44100, 16000, resample.Best)
	require.NoError(t, err)
	assert.Equal(t, "44100 16000 best 232", fmt.Sprintln(f.In(), f.Out(), f.Quality(), f.Taps())[:20])
	for n, want := range map[int64]int64{0: 0, -1: 0, 1: 1, 44100: 16000, 44101: 16001, 441: 160, 442: 161,
		1 << 52: 1633959048479092} {
		assert.Equal(t, want, f.Length(n), n)
	}
	from, to := f.Span(0, 1)
	assert.Equal(t, []int64{0, 232 - 114}, []int64{from, to})
	from, to = f.Span(16000, 32000)
	assert.Equal(t, []int64{44100 - 114, 44100 + 44097 - 114 + 232}, []int64{from, to})
	from, to = f.Span(5, 5)
	assert.Equal(t, []int64{0, 0}, []int64{from, to})
}
