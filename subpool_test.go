package spool_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
)

func TestTryGet(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		f := &failing{}
		p := newPool(t, spool.PoolOptions{MaxBytes: 2 * page, Allocator: f})
		for _, n := range []int{-1, 2*page + 1, math.MaxInt} {
			_, ok := p.TryGet(n, spool.Ranges)
			assert.False(t, ok, n)
		}
		b, ok := p.TryGet(100, spool.Ranges)
		require.True(t, ok)
		assert.Len(t, b.Bytes(), 100)
		assert.Equal(t, spool.Usage{Buffers: 1, Bytes: page}, p.Stats().Use[spool.Ranges])
		_, ok = p.TryGet(2*page, spool.Ranges)
		assert.False(t, ok)

		waited := make(chan *spool.Buffer)
		go func() {
			b, _ := p.Get(context.Background(), 2*page)
			waited <- b
		}()
		synctest.Wait()
		_, ok = p.TryGet(1, spool.Ranges)
		assert.False(t, ok, "a page is free, but another caller waits for it")
		b.Release()
		(<-waited).Release()
		p.Trim()
		f.fails.Store(true)
		_, ok = p.TryGet(1, spool.Ranges)
		assert.False(t, ok)
		f.fails.Store(false)
		assert.Zero(t, p.Stats().HeldBytes)
		require.NoError(t, p.Close())
		_, ok = p.TryGet(1, spool.Ranges)
		assert.False(t, ok)
	})
}

// A buffer above the ceiling waits until it is the only one. Others wait until it is released.
func TestPoolMaxBuffer(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := newPool(t, spool.PoolOptions{MaxBytes: 2 * page, MaxBuffer: 4 * page})
		_, err := p.Get(t.Context(), 4*page+1)
		require.ErrorIs(t, err, spool.ErrTooLarge)
		get(t, p, 2*page).Release() // kept
		small := get(t, p, page)
		_, ok := p.TryGet(3*page, spool.Other)
		assert.False(t, ok)
		got := make(chan *spool.Buffer)
		for _, n := range []int{4 * page, page} {
			go func() {
				b, _ := p.Get(context.Background(), n)
				got <- b
			}()
			synctest.Wait()
		}
		require.Equal(t, 2, p.Stats().Waiting)
		small.Release()
		large := <-got
		require.Equal(t, 4*page, large.Len())
		synctest.Wait()
		require.Equal(t, 1, p.Stats().Waiting)
		assert.EqualValues(t, 4*page, p.Stats().PeakBytes)
		large.Release()
		(<-got).Release()
		assert.LessOrEqual(t, p.Stats().HeldBytes, int64(2*page))
		require.NoError(t, p.Close())
	})
	_, err := spool.NewPool(spool.PoolOptions{MaxBuffer: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
}

func TestSub(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := newPool(t, spool.PoolOptions{MaxBytes: 4 * page})
		for _, n := range []int64{-1, 0, 4*page + 1} {
			_, err := p.Sub(t.Context(), n, spool.Ranges)
			require.ErrorIs(t, err, spool.ErrTooLarge, n)
		}
		kept := get(t, p, page)
		first := &kept.Bytes()[0]
		kept.Release()
		sub, err := p.Sub(t.Context(), 3*page, spool.Ranges)
		require.NoError(t, err)
		assert.Equal(t, spool.Usage{Buffers: 1, Bytes: 3 * page}, p.Stats().Use[spool.Ranges])
		b, ok := sub.TryGet(page, spool.Ranges)
		require.True(t, ok)
		assert.Same(t, first, &b.Bytes()[0], "the memory that p kept")
		_, ok = sub.TryGet(3*page, spool.Ranges)
		assert.False(t, ok, "its own ceiling")
		_, ok = p.TryGet(2*page, spool.Other)
		assert.False(t, ok, "the bytes that it has not taken are in use too")
		last := get(t, p, page)
		assert.EqualValues(t, 4*page, p.Stats().HeldBytes)

		got := make(chan *spool.Buffer)
		go func() {
			b, _ := p.Get(context.Background(), 2*page)
			got <- b
		}()
		synctest.Wait()
		require.ErrorIs(t, sub.Close(), spool.ErrLeaked)
		synctest.Wait()
		require.Equal(t, 1, p.Stats().Waiting, "until its buffers are back")
		require.ErrorIs(t, p.Close(), spool.ErrLeaked)
		require.Nil(t, <-got)
		b.Release()
		last.Release()
		require.NoError(t, p.Close())
		assert.Zero(t, p.Stats().HeldBytes)
		require.NoError(t, sub.Close())
		assert.Zero(t, p.Stats().HeldBytes)
	})
}

// The blocks of a closed pool serve the next one, also if all bytes are set aside.
func TestSubReusesMemory(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 2 * page, Allocator: spool.Mmap{}})
	places := map[*byte]bool{}
	for range 5 {
		sub, err := p.Sub(t.Context(), 2*page, spool.Ranges)
		require.NoError(t, err)
		b := get(t, sub, page)
		places[&b.Bytes()[0]] = true
		b.Release()
		require.NoError(t, sub.Close())
		require.EqualValues(t, page, p.Stats().HeldBytes)
	}
	assert.Len(t, places, 1)
	require.NoError(t, p.Close())
}

// The ceiling holds for a pool and pools inside it, whatever they take at the same time.
func TestSubUnderLoad(t *testing.T) {
	const ceiling = 32 * page
	p := newPool(t, spool.PoolOptions{MaxBytes: ceiling})
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 5))
			for range 100 {
				if r.IntN(2) == 0 {
					b, err := p.Get(context.Background(), 1+r.IntN(10*page))
					if assert.NoError(t, err) {
						b.Bytes()[0] = byte(g)
						b.Release()
					}
					continue
				}
				sub, err := p.Sub(context.Background(), int64(1+r.IntN(20*page)), spool.Ranges)
				if !assert.NoError(t, err) {
					return
				}
				var taken []*spool.Buffer
				for range r.IntN(8) {
					if b, ok := sub.TryGet(1+r.IntN(6*page), spool.Ranges); ok {
						b.Bytes()[0] = byte(g)
						taken = append(taken, b)
					}
					if s := p.Stats(); s.HeldBytes > ceiling || s.PeakBytes > ceiling {
						t.Errorf("%d bytes held, the ceiling is %d", s.HeldBytes, ceiling)
					}
				}
				for _, b := range taken {
					if b.Bytes()[0] != byte(g) {
						t.Error("somebody else writes here")
					}
					b.Release()
				}
				assert.NoError(t, sub.Close())
			}
		})
	}
	group.Wait()
	s := p.Stats()
	assert.Zero(t, s.Buffers)
	assert.Empty(t, s.Use)
	assert.Equal(t, s.KeptBytes, s.HeldBytes)
	require.NoError(t, p.Close())
	assert.Zero(t, p.Stats().HeldBytes)
}
