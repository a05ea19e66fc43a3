package ranges_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// store is an object with a latency for each read.
type store struct {
	data    []byte
	size    int64
	latency time.Duration
	fail    atomic.Pointer[error]

	now, most atomic.Int64 // bytes in flight, and their maximum
}

func newStore(n int, r *rand.Rand) *store {
	s := &store{data: make([]byte, n), size: int64(n)}
	for i := 0; i < n; i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], r.Uint64())
		copy(s.data[i:], word[:])
	}
	return s
}

func (s *store) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: s.size} }

func (s *store) Close() error { return nil }

func (s *store) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	now := s.now.Add(int64(len(p)))
	defer s.now.Add(int64(-len(p)))
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	if s.latency > 0 {
		select {
		case <-time.After(s.latency + time.Duration(off%997)): // no two at the same nanosecond
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	if err := s.fail.Load(); err != nil {
		return 0, *err
	}
	return bytes.NewReader(s.data).ReadAt(p, off)
}

// Several concurrent readers, with any announced ranges, get the object's bytes within the memory limit.
func TestReader(t *testing.T) {
	rng := seed.Rand(t)
	for range short.Of(60, 15) {
		s := newStore(1+rng.IntN(100_000), rng)
		o := ranges.Options{Hold: int64(1 + rng.IntN(50_000)), Block: int64(1 + rng.IntN(3000)),
			Part: int64(1 + rng.IntN(9000)), Ahead: int64(1 + rng.IntN(20_000))}
		r := ranges.New(s, o)
		var wg sync.WaitGroup
		for range 1 + rng.IntN(4) {
			own := rand.New(rand.NewPCG(rng.Uint64(), 0))
			wg.Go(func() {
				at := int64(0)
				for range 50 {
					if own.IntN(4) == 0 {
						at = own.Int64N(s.size)
					}
					if own.IntN(10) == 0 {
						begin := own.Int64N(s.size)
						r.Expect([]ranges.Range{{begin, begin + own.Int64N(20_000)}, {at, at + 100}})
					}
					p := make([]byte, 1+own.IntN(5000))
					n, err := r.ReadAt(t.Context(), p, at)
					if n < len(p) {
						assert.ErrorIs(t, err, io.EOF)
						assert.Equal(t, s.size, at+int64(n))
					}
					if !assert.True(t, bytes.Equal(s.data[at:at+int64(n)], p[:n])) {
						return
					}
					if at += int64(n); at == s.size {
						at = 0
					}
				}
			})
		}
		wg.Wait()
		r.Close()
		assert.LessOrEqual(t, s.most.Load(), o.Hold+4*min(o.Part, max(o.Block, 1)))
		_, err := r.Some(t.Context(), make([]byte, 1), 0)
		require.Error(t, err)
	}
}

func TestExpectedIsReadSideBySide(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := newStore(10_000_000, seed.Rand(t))
		s.latency = 50 * time.Millisecond
		r := ranges.New(s, ranges.Options{})
		defer r.Close()
		var list []ranges.Range
		for i := range int64(16) {
			list = append(list, ranges.Range{Begin: i * 600_000, End: i*600_000 + 100_000})
		}
		r.Expect(list)
		began := time.Now()
		for _, x := range list {
			_, err := r.ReadAt(t.Context(), make([]byte, 100_000), x.Begin)
			require.NoError(t, err)
		}
		assert.Less(t, time.Since(began), 51*time.Millisecond)
		assert.Equal(t, ranges.Stats{Requests: 16, Bytes: 1_600_000}, r.Stats())
	})
}

// Bytes in memory or in flight are not requested again, whatever pieces hold them.
func TestExpectedAgain(t *testing.T) {
	s := newStore(10_000, seed.Rand(t))
	r := ranges.New(s, ranges.Options{Part: 1000})
	defer r.Close()
	r.Expect([]ranges.Range{{Begin: 0, End: 5000}})
	r.Expect([]ranges.Range{{Begin: 500, End: 2500}, {Begin: 4500, End: 5500}})
	require.NoError(t, r.Await(t.Context(), ranges.Range{Begin: 0, End: 5500}))
	assert.Equal(t, ranges.Stats{Requests: 6, Bytes: 5500}, r.Stats())
}

// A sequential reader waits a few times instead of for each block, and stays within the memory limit.
func TestReadingOn(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := newStore(16<<20, seed.Rand(t))
		s.latency = 50 * time.Millisecond
		r := ranges.New(s, ranges.Options{Hold: 4 << 20})
		defer r.Close()
		began := time.Now()
		p := make([]byte, 32<<10)
		for off := int64(0); off < s.size; off += int64(len(p)) {
			n, err := r.ReadAt(t.Context(), p, off)
			require.NoError(t, err)
			require.Equal(t, len(p), n)
		}
		assert.Less(t, time.Since(began), 15*51*time.Millisecond, "512 blocks")
		assert.LessOrEqual(t, s.most.Load(), int64(4<<20))
		assert.Equal(t, s.size, r.Stats().Bytes)
	})
}

// Expected ranges above the memory limit are requested as others are read.
func TestExpectMoreThanIsHeld(t *testing.T) {
	s := newStore(4_000_000, seed.Rand(t))
	r := ranges.New(s, ranges.Options{Hold: 300_000, Part: 50_000})
	defer r.Close()
	r.Expect([]ranges.Range{{0, s.size}})
	p := make([]byte, 10_000)
	for off := int64(0); off < s.size; off += 10_000 {
		_, err := r.ReadAt(t.Context(), p, off)
		require.NoError(t, err)
		require.True(t, bytes.Equal(s.data[off:off+10_000], p))
	}
	assert.Equal(t, ranges.Stats{Requests: 80, Bytes: 4_000_000}, r.Stats())
	assert.LessOrEqual(t, s.most.Load(), int64(300_000))
}

func TestReaderFails(t *testing.T) {
	s := newStore(200_000, seed.Rand(t))
	s.size += 10 // a wrong size
	r := ranges.New(s, ranges.Options{})
	defer r.Close()
	broken := errors.New("broken")
	s.fail.Store(&broken)
	_, err := r.ReadAt(t.Context(), make([]byte, 10), 100_000)
	require.ErrorIs(t, err, broken)
	s.fail.Store(nil)
	_, err = r.ReadAt(t.Context(), make([]byte, 10), 100_000)
	require.NoError(t, err, "the next read tries again")

	n, err := r.ReadAt(t.Context(), make([]byte, 100), 199_950)
	assert.Equal(t, 50, n)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestReaderIsCancelled(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := newStore(100, seed.Rand(t))
		s.latency = time.Hour
		r := ranges.New(s, ranges.Options{})
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := r.Some(ctx, make([]byte, 1), 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, r.Await(ctx, ranges.Range{Begin: 0, End: 100}), context.DeadlineExceeded)
		began := time.Now()
		r.Close()
		assert.Zero(t, time.Since(began))
	})
}

// A reader that skips small gaps counts as sequential. Objects that support exact reads are read exactly.
func TestReadingOnWithGaps(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &exact{store: newStore(4<<20, seed.Rand(t))}
		r := ranges.New(s, ranges.Options{Block: 4096, Near: 200_000, Hold: 1 << 20, Part: 100_000})
		defer r.Close()
		p := make([]byte, 512)
		for off := int64(0); off < s.size; off += 110_000 {
			_, err := r.ReadAt(t.Context(), p, off)
			require.NoError(t, err)
			require.True(t, bytes.Equal(s.data[off:off+512], p))
		}
		synctest.Wait() // requests of the read-ahead are counted, but may not have been sent
		assert.LessOrEqual(t, r.Stats().Bytes, s.size, "nothing is read twice")
		assert.Equal(t, r.Stats().Requests, s.parts.Load())
	})
}

type exact struct {
	*store
	parts atomic.Int64
}

func (e *exact) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	e.parts.Add(1)
	return e.ReadAt(ctx, p, off)
}

func TestMerge(t *testing.T) {
	list := []ranges.Range{{50, 60}, {0, 10}, {12, 20}, {5, 8}, {30, 30}, {23, 40}}
	assert.Equal(t, []ranges.Range{{0, 20}, {23, 40}, {50, 60}}, ranges.Merge(list, 2))
	assert.Equal(t, []ranges.Range{{0, 10}, {12, 20}, {23, 40}, {50, 60}}, ranges.Merge(list, 0))
	assert.Equal(t, []ranges.Range{{0, 60}}, ranges.Merge(list, 10))
	assert.Empty(t, ranges.Merge(nil, 5))
}
