package resample_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// feed passes the samples [from, to) of the audio to a resampler, in random chunks, some of which are collected. It
// flushes the resampler at the end of the audio. It joins the outputs of the chunks.
func feed(t *testing.T, r *rand.Rand, by *resample.Resampler, audio [][]float32, from, to int) [][]float32 {
	t.Helper()
	c := enter(t)
	defer c.Leave()
	result := make([][]float32, len(audio))
	take := func(n int, process func(resample.Planes) (int, error)) {
		stride := n + r.IntN(3)
		memory := make([]float32, stride*len(audio))
		got, err := process(resample.Planes{Data: memory, Stride: stride})
		require.NoError(t, err)
		require.Equal(t, n, got)
		for i := range result {
			result[i] = append(result[i], memory[i*stride:][:n]...)
		}
	}
	for from < to {
		n := min(to-from, r.IntN([...]int{2, 20, 200, 5000}[r.IntN(4)]))
		chunk := make([][]float32, len(audio))
		for i := range audio {
			chunk[i] = audio[i][from : from+n]
		}
		by.Collect(from+n < to && r.IntN(3) > 0)
		take(by.Next(n), func(dst resample.Planes) (int, error) {
			return by.Process(c, dst, resample.Separate(chunk...), nil)
		})
		from += n
	}
	if to == len(audio[0]) {
		take(by.Rest(), func(dst resample.Planes) (int, error) { return by.Flush(c, dst) })
	}
	return result
}

// Neither chunks nor windows change a sample.
func TestStream(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		common := [...]int{8000, 11025, 16000, 22050, 24000, 32000, 44099, 44100, 48000}
		in, out := common[r.IntN(9)], common[r.IntN(9)]
		f, err := (*resample.Filters)(nil).Get(in, out, resample.Quality(r.IntN(3)))
		require.NoError(t, err)
		audio := make([][]float32, 1+r.IntN(3))
		n := 1 + r.IntN([...]int{100, 1000, 10000}[r.IntN(3)])
		for i := range audio {
			audio[i] = noise(r.Uint64(), n)
		}
		want := wholeBy(t, f, resample.Levels-1, audio...)

		by, err := resample.New(f, len(audio))
		require.NoError(t, err)
		require.Equal(t, want, feed(t, r, by, audio, 0, n))

		for range 5 {
			first := r.IntN(len(want[0]))
			last := first + 1 + r.IntN(len(want[0])-first)
			from, to := f.Span(int64(first), int64(last))
			by.Reset(int64(first))
			got := feed(t, r, by, audio, min(int(from), n), min(int(to), n))
			for i := range got {
				require.GreaterOrEqual(t, len(got[i]), last-first, "%d of %d Hz to %d, %d to %d", n, in, out, first, last)
				require.Equal(t, want[i][first:last], got[i][:last-first], "%d of %d Hz to %d, %d to %d", n, in, out, first, last)
			}
		}
	}
}

// While chunks are collected, outputs come in groups that use each row of the filter as often, and the next chunk
// delivers those that were held back.
func TestCollect(t *testing.T) {
	for _, x := range []struct{ in, out, channels, group int }{
		{44100, 16000, 1, 1280}, {44100, 16000, 2, 1280}, {48000, 16000, 1, 1364}, {16000, 44100, 3, 10584},
		{44100, 44099, 1, 1}, // interpolated
		{44101, 16000, 1, 1}, // more rows than a strip has samples
	} {
		f, err := (*resample.Filters)(nil).Get(x.in, x.out, resample.Default)
		require.NoError(t, err)
		by, err := resample.New(f, x.channels)
		require.NoError(t, err)
		n := 9000
		all := by.Next(n)
		by.Collect(true)
		assert.Equal(t, all/x.group*x.group, by.Next(n), "%v", x)
		assert.Zero(t, by.Next(n)%x.group, "%v", x)

		audio := make([][]float32, x.channels)
		for i := range audio {
			audio[i] = noise(uint64(i), n)
		}
		room := resample.Planes{Data: make([]float32, all*x.channels), Stride: all}
		c := enter(t)
		first, err := by.Process(c, room, resample.Separate(audio...), nil)
		require.NoError(t, err)
		by.Collect(false)
		for i := range audio {
			audio[i] = nil
		}
		rest, err := by.Process(c, room, resample.Separate(audio...), nil)
		c.Leave()
		require.NoError(t, err)
		assert.Equal(t, all, first+rest, "%v", x)
	}
}

// Audio that is empty, or shorter than the filter.
func TestShort(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 44: 16, 45: 17} {
		audio := make([]float32, n)
		for i := range audio {
			audio[i] = 0.5
		}
		got := whole(t, 44100, 16000, resample.Default, audio)[0]
		assert.Len(t, got, want)
	}
}

// A channel among others has the same result as alone.
func TestChannels(t *testing.T) {
	audio := make([][]float32, 9)
	for i := range audio {
		audio[i] = noise(uint64(i), 2500)
	}
	together := whole(t, 44100, 48000, resample.Default, audio...)
	for i := range audio {
		assert.Equal(t, whole(t, 44100, 48000, resample.Default, audio[i])[0], together[i])
	}
}

func TestProcessRefuses(t *testing.T) {
	f, err := (*resample.Filters)(nil).Get(44100, 16000, resample.Default)
	require.NoError(t, err)
	_, err = resample.New(f, 0)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = resample.New(f, resample.MaxChannels+1)
	require.ErrorIs(t, err, spool.ErrOptions)

	r, err := resample.New(f, 2)
	require.NoError(t, err)
	c := enter(t)
	defer c.Leave()
	room := resample.Planes{Data: make([]float32, 2000), Stride: 1000}
	stereo := resample.Interleaved(2, make([]int16, 2000))
	for name, x := range map[string]struct {
		dst  resample.Planes
		src  resample.Samples
		m    *resample.Matrix
		want error
	}{
		"other channels":     {room, resample.Interleaved(3, make([]int16, 300)), nil, spool.ErrShape},
		"a matrix of others": {room, stereo, &resample.Matrix{In: 1, Out: 2, Weights: []float32{1, 1}}, spool.ErrShape},
		"a matrix to others": {room, stereo, &resample.Matrix{In: 2, Out: 1, Weights: []float32{1, 1}}, spool.ErrShape},
		"a matrix too small": {room, stereo, &resample.Matrix{In: 2, Out: 2, Weights: []float32{1, 1}}, spool.ErrOptions},
		"little room":        {resample.Planes{Data: make([]float32, 600), Stride: 330}, stereo, nil, spool.ErrShape},
		"a short stride":     {resample.Planes{Data: make([]float32, 2000), Stride: 100}, stereo, nil, spool.ErrShape},
		"a negative stride":  {resample.Planes{Data: make([]float32, 2000), Stride: -1000}, stereo, nil, spool.ErrShape},
		"a format of nobody": {room, resample.Samples{Channels: 2, Len: 1, Planes: stereo.Planes}, nil, spool.ErrOptions},
		"a negative length": {room, resample.Samples{Format: resample.S16, Channels: 2, Len: -1, Planes: stereo.Planes},
			nil, spool.ErrOptions},
		"planes of another": {room, resample.Samples{Format: resample.S16, Channels: 3, Len: 1,
			Planes: make([]unsafe.Pointer, 2)}, nil, spool.ErrShape},
		"channels beyond all": {room, resample.Samples{Format: resample.S16, Channels: 1 << 20, Len: 1,
			Planes: stereo.Planes}, nil, spool.ErrOptions},
		"no channels": {room, resample.Separate[float32](), nil, spool.ErrOptions},
		"no planes":   {room, resample.Samples{Format: resample.S16, Channels: 2, Len: 1}, nil, spool.ErrShape},
		"audio of 13 hours": {room, resample.Samples{Format: resample.S16, Channels: 2, Len: 1 << 31,
			Planes: stereo.Planes}, nil, spool.ErrOptions},
	} {
		_, err := r.Process(c, x.dst, x.src, x.m)
		assert.ErrorIs(t, err, x.want, name)
	}
	_, err = r.Process(c, room, resample.Samples{Format: resample.S16, Channels: 2, Planes: stereo.Planes}, nil)
	require.NoError(t, err)
	_, err = r.Process(c, room, resample.Separate[float32](nil, nil), nil)
	require.NoError(t, err)
	n, err := r.Process(c, room, stereo, nil) // the failed call took no samples
	require.NoError(t, err)
	require.Equal(t, 345, n)
	_, err = r.Flush(c, resample.Planes{})
	require.ErrorIs(t, err, spool.ErrShape)
	n, err = r.Flush(c, room)
	require.NoError(t, err)
	require.Equal(t, 363, 345+n)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	f, err := (*resample.Filters)(nil).Get(44100, 16000, resample.Default)
	require.NoError(t, err)
	r, err := resample.New(f, 1)
	require.NoError(t, err)
	cancel()
	require.Eventually(t, func() bool { return c.Err() != nil }, time.Minute, time.Microsecond)
	room := resample.Planes{Data: make([]float32, 1000), Stride: 1000}
	audio := resample.Separate(make([]float32, 1000))
	_, err = r.Process(c, room, audio, nil)
	require.ErrorIs(t, err, spool.ErrCanceled)
	_, err = r.Flush(c, room)
	require.ErrorIs(t, err, spool.ErrCanceled)
	require.ErrorIs(t, resample.Mix(c, room, audio, nil), spool.ErrCanceled)
	require.ErrorIs(t, resample.Store(c, audio, room), spool.ErrCanceled)
}
