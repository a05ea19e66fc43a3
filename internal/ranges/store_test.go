package ranges_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// newShared returns a store with a pool of a ceiling.
func newShared(t *testing.T, ceiling int64) (*ranges.Store, *spool.Pool) {
	t.Helper()
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: ceiling})
	require.NoError(t, err)
	return ranges.NewStore(pool), pool
}

// Many users of several objects share one ceiling, some of them announce what they read, and some are canceled. In a
// bubble, any deadlock fails the test.
func TestStoreWithLittleMemory(t *testing.T) {
	rng := seed.Rand(t)
	for _, ceiling := range []int64{1, 4096, 20_000, 140_000, 1 << 20, 8 << 20} {
		bubble.Test(t, func(t *testing.T) {
			shared, pool := newShared(t, ceiling)
			var users sync.WaitGroup
			var ends []func()
			for i := range 8 {
				s := newStore(1+rng.IntN(700_000), rng)
				s.latency = time.Millisecond
				var read func(ctx context.Context, p []byte, off int64) (int, error)
				var expect func([]ranges.Range)
				if i < 5 {
					r := ranges.New(s, ranges.Options{Store: shared, Hold: 1 + rng.Int64N(600_000), Block: 1000 + rng.Int64N(9000),
						Part: 1000 + rng.Int64N(90_000)})
					read, expect, ends = r.ReadAt, r.Expect, append(ends, r.Close)
				} else {
					b := ranges.NewBlocks(t.Context(), shared, s.size, s.ReadAt)
					read, ends = throughBlocks(b, s), append(ends, b.Close)
				}
				for range 4 {
					own := rand.New(rand.NewPCG(rng.Uint64(), 0))
					users.Go(func() { use(t, own, s, read, expect) })
				}
			}
			users.Wait()
			for _, end := range ends {
				end()
			}
			shared.Close()
			assert.LessOrEqual(t, pool.Stats().PeakBytes, ceiling)
			require.NoError(t, pool.Close())
		})
	}
}

// throughBlocks reads as Object.ReadAt of package object does.
func throughBlocks(b *ranges.Blocks, s *store) func(ctx context.Context, p []byte, off int64) (int, error) {
	return func(ctx context.Context, p []byte, off int64) (int, error) {
		want := p[:min(int64(len(p)), s.size-off)]
		n, err := b.Read(ctx, want, off)
		if err == nil && n < len(want) {
			var m int
			m, err = s.ReadAt(ctx, want[n:], off+int64(n))
			n += m
		}
		if err == nil && n < len(p) {
			err = io.EOF
		}
		return n, err
	}
}

// use reads an object here and there, and checks its bytes.
func use(t *testing.T, rng *rand.Rand, s *store, read func(ctx context.Context, p []byte, off int64) (int, error),
	expect func([]ranges.Range)) {
	at := int64(0)
	for range short.Of(60, 15) {
		if rng.IntN(4) == 0 {
			at = rng.Int64N(s.size)
		}
		if expect != nil && rng.IntN(8) == 0 {
			begin := rng.Int64N(s.size)
			expect([]ranges.Range{{begin, min(s.size, begin+rng.Int64N(200_000))}, {at, at + 100}})
		}
		ctx, cancel := context.WithCancel(t.Context())
		canceled := rng.IntN(6) == 0
		if canceled {
			time.AfterFunc(time.Duration(rng.IntN(1500))*time.Microsecond, cancel)
		}
		p := make([]byte, 1+rng.IntN(30_000))
		n, err := read(ctx, p, at)
		cancel()
		switch {
		case canceled && errors.Is(err, context.Canceled):
		case n < len(p):
			assert.ErrorIs(t, err, io.EOF)
			assert.Equal(t, s.size, at+int64(n))
		default:
			assert.NoError(t, err)
		}
		if !assert.True(t, bytes.Equal(s.data[at:at+int64(n)], p[:n])) {
			return
		}
		if at += int64(n); at >= s.size {
			at = 0
		}
	}
}

// Planned ranges stay until they are read, whatever else is read. They are not requested again.
func TestPlannedRangesAreKept(t *testing.T) {
	const ceiling = 1 << 20
	shared, pool := newShared(t, ceiling)
	planned, other := newStore(4<<20, seed.Rand(t)), newStore(4<<20, seed.Rand(t))
	r := ranges.New(planned, ranges.Options{Store: shared})
	plan := []ranges.Range{{1 << 20, 1<<20 + 300_000}, {3 << 20, 3<<20 + 200_000}}
	r.Expect(plan)
	for _, part := range plan {
		require.NoError(t, r.Await(t.Context(), part))
	}
	b := ranges.NewBlocks(t.Context(), shared, other.size, other.ReadAt)
	elsewhere := ranges.New(other, ranges.Options{Store: shared})
	for _, read := range []func(context.Context, []byte, int64) (int, error){throughBlocks(b, other), elsewhere.ReadAt} {
		p := make([]byte, 32<<10)
		for off := int64(0); off < other.size; off += int64(len(p)) {
			_, err := read(t.Context(), p, off)
			require.NoError(t, err)
			require.True(t, bytes.Equal(other.data[off:off+int64(len(p))], p))
		}
	}
	for _, part := range plan {
		p := make([]byte, part.Len())
		_, err := r.ReadAt(t.Context(), p, part.Begin)
		require.NoError(t, err)
		require.True(t, bytes.Equal(planned.data[part.Begin:part.End], p))
	}
	assert.Equal(t, ranges.Stats{Requests: 2, Bytes: 500_000}, r.Stats())
	r.Close()
	elsewhere.Close()
	b.Close()
	shared.Close()
	assert.LessOrEqual(t, pool.Stats().PeakBytes, int64(ceiling))
	require.NoError(t, pool.Close())
}

// Reads that find no memory are requested as they are. Bytes are kept again once there is memory.
func TestReadsWithoutMemory(t *testing.T) {
	shared, pool := newShared(t, 256<<10)
	s := newStore(1<<20, seed.Rand(t))
	holder := ranges.New(s, ranges.Options{Store: shared, Part: 64 << 10})
	full := []ranges.Range{{0, 256 << 10}}
	holder.Expect(full)
	require.NoError(t, holder.Await(t.Context(), full[0]))
	taken := shared.Get(64 << 10) // what the holder leaves to reads that wait
	require.NotNil(t, taken)
	require.Nil(t, shared.Get(1))

	r := ranges.New(s, ranges.Options{Store: shared})
	p := make([]byte, 100)
	for range 3 {
		n, err := r.ReadAt(t.Context(), p, 500_000)
		require.NoError(t, err)
		require.Equal(t, s.data[500_000:500_100], p[:n])
	}
	assert.Equal(t, ranges.Stats{Requests: 3, Bytes: 300}, r.Stats())
	taken.Release()
	for range 3 {
		_, err := r.ReadAt(t.Context(), p, 500_000)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 4, r.Stats().Requests)
	r.Close()
	_, err := r.ReadAt(t.Context(), p, 500_000)
	require.ErrorIs(t, err, context.Canceled)
	holder.Close()
	require.NoError(t, pool.Close())
}

// Bytes that are added are kept until they are read, also where they overlap others.
func TestBlocksAdd(t *testing.T) {
	shared, pool := newShared(t, 1<<20)
	s := newStore(10_000, seed.Rand(t))
	requests := 0
	b := ranges.NewBlocks(t.Context(), shared, s.size, func(ctx context.Context, p []byte, off int64) (int, error) {
		requests++
		return s.ReadAt(ctx, p, off)
	})
	for _, part := range []ranges.Range{{0, 4096}, {3000, 6000}, {1000, 2000}, {9000, 10_000}} {
		buffer := shared.Get(int(part.Len()))
		require.NotNil(t, buffer)
		copy(buffer.Bytes(), s.data[part.Begin:part.End])
		b.Add(part.Begin, buffer)
	}
	for _, x := range []struct{ off, length, known int64 }{{0, 6000, 6000}, {5999, 2, 1}, {6000, 100, 0}, {9500, 500, 500},
		{0, 10_000, 0}} {
		p := make([]byte, x.length)
		n, err := b.Known(t.Context(), p, x.off)
		require.NoError(t, err)
		assert.EqualValues(t, x.known, n, x)
		assert.Equal(t, s.data[x.off:x.off+int64(n)], p[:n])
	}
	p := make([]byte, 6000)
	n, err := b.Read(t.Context(), p, 0)
	require.NoError(t, err)
	assert.Equal(t, s.data[:6000], p[:n])
	assert.Zero(t, requests)
	b.Close()
	late := shared.Get(10)
	require.NotNil(t, late)
	b.Add(0, late)
	_, err = b.Read(t.Context(), p, 0)
	require.ErrorIs(t, err, spool.ErrClosed)
	assert.Zero(t, shared.Bytes())
	require.NoError(t, pool.Close())
}

// A failed request keeps what arrived. Later reads request the rest again.
func TestBlocksThatArriveInPart(t *testing.T) {
	shared, pool := newShared(t, 1<<20)
	s := newStore(100_000, seed.Rand(t))
	broken := errors.New("broken")
	var parts []ranges.Range
	b := ranges.NewBlocks(t.Context(), shared, s.size, func(ctx context.Context, p []byte, off int64) (int, error) {
		parts = append(parts, ranges.Range{Begin: off, End: off + int64(len(p))})
		if off == 0 {
			n, _ := s.ReadAt(ctx, p[:30_000], off)
			return n, broken
		}
		return s.ReadAt(ctx, p, off)
	})
	p := make([]byte, 40_000)
	n, err := b.Read(t.Context(), p, 0)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, s.data[:30_000], p[:n])
	n, err = b.Read(t.Context(), p, 10_000)
	require.NoError(t, err)
	assert.Equal(t, s.data[10_000:50_000], p[:n])
	assert.Equal(t, []ranges.Range{{0, 100_000}, {30_000, 100_000}}, parts)
	b.Close()
	shared.Close()
	require.NoError(t, pool.Close())
}
