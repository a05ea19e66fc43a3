package spool_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/invariants"
	"github.com/spoolmedia/spool/internal/short"
)

const page = 4096

func newPool(t testing.TB, o spool.PoolOptions) *spool.Pool {
	t.Helper()
	p, err := spool.NewPool(o)
	require.NoError(t, err)
	return p
}

func get(t testing.TB, p *spool.Pool, n int) *spool.Buffer {
	t.Helper()
	b, err := p.Get(context.Background(), n)
	require.NoError(t, err)
	return b
}

func TestPoolReusesMemory(t *testing.T) {
	for _, allocator := range []spool.Allocator{spool.Mmap{}, spool.GoHeap{}} {
		p := newPool(t, spool.PoolOptions{Allocator: allocator})
		b := get(t, p, 10_000)
		require.Equal(t, 10_000, b.Len())
		require.Len(t, b.Bytes(), 10_000)
		require.Equal(t, 10_000, cap(b.Bytes()))
		first := &b.Bytes()[0]
		require.Zero(t, uintptr(unsafe.Pointer(first))%64)
		b.Release()
		b = get(t, p, 12_000) // the same size class
		require.Same(t, first, &b.Bytes()[0])
		require.EqualValues(t, 1, p.Stats().Reuses)
		b.Release()
		require.NoError(t, p.Close())
		require.Zero(t, p.Stats().HeldBytes)
	}
}

func TestPoolClassesWasteAtMostAQuarter(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 1 << 40, Allocator: spool.Mmap{}})
	for n := 1; n < short.Of(1<<27, 1<<24); n += 1 + n/7 {
		b, err := p.GetFor(context.Background(), n, spool.Slab)
		require.NoError(t, err)
		class := p.Stats().Use[spool.Slab].Bytes
		require.Zero(t, class%page, "%d bytes", n)
		require.GreaterOrEqual(t, class, int64(n))
		if n > 4*page {
			require.LessOrEqual(t, class, int64(n)+int64(n)/4, "%d bytes", n)
		} else {
			require.Less(t, class, int64(n)+page, "%d bytes", n)
		}
		b.Release()
		p.Trim()
	}
	require.NoError(t, p.Close())
}

// useFourPages takes four buffers of a page at once, and releases them.
func useFourPages(t *testing.T, p *spool.Pool) {
	t.Helper()
	var held []*spool.Buffer
	for range 4 {
		held = append(held, get(t, p, page))
	}
	for _, b := range held {
		b.Release()
	}
}

func TestPoolGivesUpKeptMemoryForAnotherClass(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 4 * page})
	useFourPages(t, p)
	require.EqualValues(t, 4*page, p.Stats().KeptBytes)
	b := get(t, p, 3*page)
	require.LessOrEqual(t, p.Stats().HeldBytes, int64(4*page))
	b.Release()
	require.NoError(t, p.Close())
}

// A pool without a block of a class takes a kept one of at most twice the size.
func TestPoolReusesLargerBlocks(t *testing.T) {
	p := newPool(t, spool.PoolOptions{})
	large := get(t, p, 40*page)
	first := &large.Bytes()[0]
	large.Release()
	b := get(t, p, 20*page)
	require.Same(t, first, &b.Bytes()[0])
	require.Equal(t, 20*page, b.Len())
	require.EqualValues(t, 40*page, p.Stats().Use[spool.Other].Bytes)
	b.Release()
	require.EqualValues(t, 40*page, p.Stats().KeptBytes)
	b = get(t, p, 16*page)
	require.EqualValues(t, 56*page, p.Stats().HeldBytes, "the kept block is too large")
	b.Release()
	require.NoError(t, p.Close())
}

// At the ceiling, the block that has been kept longest is freed, whatever its size.
func TestPoolFreesTheBlockKeptLongest(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 14 * page})
	held := []*spool.Buffer{get(t, p, page), get(t, p, 4*page), get(t, p, 4*page)}
	for _, n := range []int{1, 0, 2} {
		held[n].Release()
	}
	get(t, p, 8*page).Release() // needs three pages more than there are
	require.EqualValues(t, 13*page, p.Stats().HeldBytes)
	get(t, p, page).Release()
	require.EqualValues(t, 1, p.Stats().Reuses, "the page is still there")
	require.NoError(t, p.Close())
}

// With sizes that vary, as those of compressed files do, a pool holds about twice what was in use at a time. With
// blocks of the class only it would be 3.5 times as much, and grow for longer.
func TestPoolStaysSmallWithSizesThatVary(t *testing.T) {
	const window = 100
	p := newPool(t, spool.PoolOptions{Allocator: spool.Mmap{}})
	random := rand.New(rand.NewPCG(1, 2))
	var held [window]*spool.Buffer
	var inUse, most int64
	for i := range short.Of(50_000, 10_000) {
		if at := &held[i%window]; *at != nil {
			inUse -= int64((*at).Len())
			(*at).Release()
		}
		held[i%window] = get(t, p, int(30e3*math.Exp(0.7*random.NormFloat64())))
		inUse += int64(held[i%window].Len())
		most = max(most, inUse)
	}
	last := p.Stats().HeldBytes
	for _, b := range held {
		b.Release()
	}
	require.NoError(t, p.Close())
	require.Less(t, float64(last), 2.2*float64(most))
}

func TestPoolKeepsNoMoreThanItMay(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxKept: 2 * page})
	useFourPages(t, p)
	require.EqualValues(t, 2*page, p.Stats().KeptBytes)
	require.EqualValues(t, 2*page, p.Stats().HeldBytes)
	get(t, p, page).Release()
	require.EqualValues(t, 1, p.Stats().Reuses)
	require.NoError(t, p.Close())
}

func TestPoolRefusesWhatCanNeverFit(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 8 * page})
	for _, n := range []int{8*page + 1, 1 << 62, -1} {
		_, err := p.Get(context.Background(), n)
		require.ErrorIs(t, err, spool.ErrTooLarge)
	}
	_, err := spool.NewPool(spool.PoolOptions{MaxBytes: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
	require.NoError(t, p.Close())
}

// TestPoolWithoutCeiling checks that sizes near the largest possible ceiling do not overflow.
func TestPoolWithoutCeiling(t *testing.T) {
	f := &failing{}
	f.fails.Store(true)
	p := newPool(t, spool.PoolOptions{MaxBytes: math.MaxInt64, Allocator: f})
	for _, n := range []int{math.MaxInt, math.MaxInt - 1<<20} {
		_, err := p.Get(t.Context(), n)
		require.ErrorIs(t, err, spool.ErrTooLarge)
	}
	_, err := p.Get(t.Context(), 1<<62)
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	require.Zero(t, p.Stats().HeldBytes)
	require.NoError(t, p.Close())
}

func TestPoolWakesWaitersInOrder(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := newPool(t, spool.PoolOptions{MaxBytes: 2 * page})
		held := []*spool.Buffer{get(t, p, page), get(t, p, page)}
		type turn struct {
			i int
			b *spool.Buffer
		}
		served := make(chan turn, 5)
		for i := range 5 {
			n := page
			if i == 0 {
				n = 2 * page // the first needs most, and the others do not overtake it
			}
			go func() {
				b, err := p.Get(context.Background(), n)
				if err != nil {
					t.Error(err)
				}
				served <- turn{i, b}
			}()
			synctest.Wait() // each waits in the queue before the next one starts
		}
		require.Equal(t, 5, p.Stats().Waiting)
		held[0].Release()
		synctest.Wait()
		require.Empty(t, served, "half the room is not enough for the first in line")
		held[1].Release()
		for i := range 5 {
			synctest.Wait()
			next := <-served
			if i == 0 {
				require.Zero(t, next.i)
				require.Empty(t, served)
			} else {
				require.Contains(t, []int{i - 1 + i%2, i + i%2}, next.i, "two at a time")
			}
			next.b.Release()
		}
		require.NoError(t, p.Close())
	})
}

func TestPoolGetEndsWithContext(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := newPool(t, spool.PoolOptions{MaxBytes: 2 * page})
		one := get(t, p, page)
		ctx, cancel := context.WithCancel(context.Background())
		got := make(chan error, 2)
		go func() { _, err := p.Get(ctx, 2*page); got <- err }()
		synctest.Wait()
		go func() { // it would fit, but waits behind the first
			b, err := p.Get(context.Background(), page)
			if err == nil {
				b.Release()
			}
			got <- err
		}()
		synctest.Wait()
		require.Empty(t, got)
		cancel()
		errs := []error{<-got, <-got}
		require.ErrorIs(t, errors.Join(errs...), context.Canceled)
		require.True(t, errs[0] == nil || errs[1] == nil, "the one behind is served: %v", errs)
		one.Release()
		require.NoError(t, p.Close())
	})
}

func TestPoolCloseFailsWaitersAndNamesLeaks(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := newPool(t, spool.PoolOptions{MaxBytes: page})
		b, err := p.GetFor(context.Background(), page, spool.Scratch)
		require.NoError(t, err)
		got := make(chan error)
		go func() { _, err := p.Get(context.Background(), page); got <- err }()
		synctest.Wait()
		err = p.Close()
		require.ErrorIs(t, err, spool.ErrLeaked)
		require.ErrorContains(t, err, "1 scratch")
		require.ErrorIs(t, <-got, spool.ErrClosed)
		_, err = p.Get(context.Background(), page)
		require.ErrorIs(t, err, spool.ErrClosed)
		b.Release() // still valid, and only now freed
		require.NoError(t, p.Close())
		require.Zero(t, p.Stats().HeldBytes)
	})
}

type failing struct{ fails atomic.Bool }

func (f *failing) Alloc(n int) ([]byte, error) {
	if f.fails.Load() {
		return nil, spool.ErrOutOfMemory
	}
	return make([]byte, n), nil
}
func (*failing) Free([]byte) error { return nil }

func TestPoolSurvivesAnAllocatorThatFails(t *testing.T) {
	f := &failing{}
	p := newPool(t, spool.PoolOptions{MaxBytes: page, Allocator: f})
	f.fails.Store(true)
	_, err := p.Get(context.Background(), page)
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	require.Zero(t, p.Stats().HeldBytes)
	f.fails.Store(false)
	get(t, p, page).Release()
	require.NoError(t, p.Close())
}

// TestPoolUnderLoad uses many goroutines, sizes and cancellations. The ceiling holds at every moment, no two buffers
// share memory, and nothing is left in use.
func TestPoolUnderLoad(t *testing.T) {
	const ceiling = 64 * page
	p := newPool(t, spool.PoolOptions{MaxBytes: ceiling})
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 3))
			for range 400 {
				ctx, cancel := context.WithCancel(context.Background())
				if r.IntN(4) == 0 {
					go cancel()
				}
				b, err := p.Get(ctx, 1+r.IntN(20*page))
				if err == nil {
					bytes := b.Bytes()
					bytes[0], bytes[len(bytes)-1] = byte(g), byte(g)
					if s := p.Stats(); s.HeldBytes > ceiling || s.PeakBytes > ceiling {
						t.Errorf("%d bytes held, the ceiling is %d", s.HeldBytes, ceiling)
					}
					if len(bytes) > 1 && (bytes[0] != byte(g) || bytes[len(bytes)-1] != byte(g)) {
						t.Error("somebody else writes here")
					}
					b.Release()
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	require.Zero(t, p.Stats().Buffers)
	require.Equal(t, p.Stats().KeptBytes, p.Stats().HeldBytes)
	require.NoError(t, p.Close())
	require.Zero(t, p.Stats().HeldBytes)
}

func TestBufferReferences(t *testing.T) {
	p := newPool(t, spool.PoolOptions{})
	b := get(t, p, 100)
	require.Equal(t, "uint8 flat [100]", b.Desc().String())
	require.Same(t, b, b.Retain())
	b.Release()
	b.SetDesc(spool.Desc{Shape: spool.Shape{5, 5, 4}, Layout: spool.HWC})
	require.Panics(t, func() { b.SetDesc(spool.Desc{Shape: spool.Shape{26}, DType: spool.Float32}) })
	b.Release()
	require.PanicsWithValue(t, "spool: Retain of a released Buffer", func() { b.Retain() })
	require.PanicsWithValue(t, "spool: Buffer released more often than it was held", b.Release)
	require.NoError(t, p.Close())
}

func TestShrink(t *testing.T) {
	p := newPool(t, spool.PoolOptions{})
	b := get(t, p, 100)
	b.SetDesc(spool.Desc{Shape: spool.Shape{5, 5, 4}, Layout: spool.HWC})
	held := p.Stats().HeldBytes
	b.Shrink(40)
	require.Equal(t, "uint8 flat [40]", b.Desc().String())
	require.Len(t, b.Bytes(), 40)
	require.Equal(t, 40, cap(b.Bytes()))
	require.Panics(t, func() { b.Shrink(41) })
	require.Panics(t, func() { b.Shrink(-1) })
	require.Equal(t, held, p.Stats().HeldBytes, "the block is whole")
	b.Shrink(0)
	b.Release()
	require.NoError(t, p.Close())
}

func TestReleasedBufferIsPoisoned(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("only in builds with invariants (-tags invariants, or -race)")
	}
	p := newPool(t, spool.PoolOptions{Allocator: spool.GoHeap{}})
	b := get(t, p, 8)
	bytes := b.Bytes()
	copy(bytes, "abcdefgh")
	b.Release()
	require.Equal(t, []byte{0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC}, bytes)
	require.PanicsWithValue(t, "spool: use of a released Buffer", func() { b.Bytes() })
	require.NoError(t, p.Close())
}

func BenchmarkPool(b *testing.B) {
	for _, size := range []int{64 << 10, 5 << 20} {
		b.Run(spool.Shape{size}.String(), func(b *testing.B) {
			p := newPool(b, spool.PoolOptions{})
			b.ReportAllocs()
			for b.Loop() {
				get(b, p, size).Release()
			}
			b.StopTimer()
			require.NoError(b, p.Close())
		})
	}
}

// freed counts the blocks that are freed.
type freed struct{ blocks atomic.Int64 }

func (*freed) Alloc(n int) ([]byte, error) { return make([]byte, n), nil }
func (f *freed) Free([]byte) error         { f.blocks.Add(1); return nil }

func TestForgottenPoolIsCountedAndFreed(t *testing.T) {
	var f freed
	before := spool.ForgottenPools()
	func() {
		p := newPool(t, spool.PoolOptions{Allocator: &f})
		get(t, p, page).Release()
	}()
	for range 100 { // cleanups run on their own goroutine, some time after a collection
		runtime.GC()
		if spool.ForgottenPools() > before {
			break
		}
		runtime.Gosched()
	}
	require.Equal(t, before+1, spool.ForgottenPools())
	require.EqualValues(t, 1, f.blocks.Load())
}

// TestPoolReserve checks that reserved memory is reused in turn and never exceeds the ceiling.
func TestPoolReserve(t *testing.T) {
	p := newPool(t, spool.PoolOptions{MaxBytes: 3 * page})
	require.NoError(t, p.Reserve(page, 9))
	require.EqualValues(t, 3*page, p.Stats().KeptBytes)
	places := map[*byte]bool{}
	for range 3 {
		b := get(t, p, page)
		places[&b.Bytes()[0]] = true
		b.Release()
	}
	require.Len(t, places, 3)
	require.EqualValues(t, 3*page, p.Stats().PeakBytes)
	require.NoError(t, p.Close())

	f := &failing{}
	f.fails.Store(true)
	p = newPool(t, spool.PoolOptions{Allocator: f})
	require.ErrorIs(t, p.Reserve(page, 1), spool.ErrOutOfMemory)
	require.Zero(t, p.Stats().HeldBytes)
	require.NoError(t, p.Close())
}

// TestExempt checks that exempt buffers do not block other users of the pool. Their memory is freed if it exceeds the
// ceiling.
func TestExempt(t *testing.T) {
	p, err := spool.NewPool(spool.PoolOptions{MaxBytes: 2 * 4096, Allocator: spool.Mmap{}})
	require.NoError(t, err)
	now, cancel := context.WithCancel(context.Background())
	cancel()
	var kept []*spool.Buffer
	for range 5 {
		b, err := p.Get(now, 4096)
		require.NoError(t, err)
		b.Exempt()
		b.Exempt()
		kept = append(kept, b)
	}
	require.EqualValues(t, 5*4096, p.Stats().HeldBytes)
	two := []*spool.Buffer{}
	for range 2 {
		b, err := p.Get(now, 4096)
		require.NoError(t, err)
		two = append(two, b)
	}
	waits := make(chan *spool.Buffer)
	go func() {
		b, _ := p.Get(context.Background(), 4096)
		waits <- b
	}()
	for p.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	two[0].Exempt()
	third := <-waits
	require.NotNil(t, third)
	for _, b := range kept {
		b.Release()
		require.LessOrEqual(t, p.Stats().HeldBytes, int64(8*4096))
	}
	require.EqualValues(t, 3*4096, p.Stats().HeldBytes, "what the ceiling has no room for is not kept")
	for _, b := range append(two, third) {
		b.Release()
	}
	require.LessOrEqual(t, p.Stats().HeldBytes, int64(2*4096))
	require.NoError(t, p.Close())
}
