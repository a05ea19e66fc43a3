package batch_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

const sampleBytes = 16

func newPool(t *testing.T, slabs, size int) *spool.Pool {
	t.Helper()
	class := ((size+1)*sampleBytes + 4095) / 4096 * 4096
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: int64(slabs * class)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close(), "a slab leaked") })
	return pool
}

func newAssembler(t *testing.T, o batch.AssemblerOptions) *batch.Assembler {
	t.Helper()
	o.Sample = spool.Desc{Shape: spool.Shape{sampleBytes}}
	a, err := batch.NewAssembler(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(), "a slot leaked") })
	return a
}

func write(s batch.Slot, id int64) {
	for i := range sampleBytes / 8 {
		binary.LittleEndian.PutUint64(s.Bytes()[8*i:], uint64(id))
	}
}

// ids checks that the bytes of each slot match its entry in Samples, and returns the ids.
func ids(t *testing.T, b *batch.Batch) []int64 {
	t.Helper()
	var out []int64
	for i, s := range b.Samples {
		for j := range sampleBytes / 8 {
			require.Equal(t, uint64(s.ID), binary.LittleEndian.Uint64(b.Slot(i)[8*j:]), "slot %d of batch %d", i, b.Index)
		}
		out = append(out, s.ID)
	}
	require.Len(t, b.Bytes(), b.Len()*sampleBytes)
	require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes())))%64)
	require.Equal(t, b.Len(), b.Desc().Shape[0])
	return out
}

// chunk returns the expected batches of one epoch: its good samples in pieces of size.
func chunk(good []int64, size int, last batch.Last) (want [][]int64) {
	for len(good) > 0 {
		n := min(size, len(good))
		piece := append([]int64(nil), good[:n]...)
		good = good[n:]
		if n < size && last == batch.Drop {
			break
		}
		for n < size && last == batch.Pad {
			piece = append(piece, piece[n-1])
			n++
		}
		want = append(want, piece)
	}
	return want
}

// TestExactOrderEqualsFilteredList checks that Exact order gives the batches of the list of good samples, whatever
// fails and however far decoding runs ahead. The memory is two slabs plus the slabs that the window spans.
func TestExactOrderEqualsFilteredList(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		size, window, epochs := 1+r.IntN(6), 1+r.IntN(12), 1+r.IntN(3)
		bad := []float64{0, 0.05, 0.5, 0.95, 1}[r.IntN(5)]
		last := batch.Last(r.IntN(3))
		pool := newPool(t, 2+(window+size-1)/size+epochs, size)
		a := newAssembler(t, batch.AssemblerOptions{Size: size, Pool: pool, Last: last})

		type item struct {
			slot   batch.Slot
			id     int64
			failed bool
		}
		var want, got [][]int64
		var queue []item
		collect := func(done []*batch.Batch) {
			for _, b := range done {
				got = append(got, ids(t, b))
				b.Release()
			}
		}
		settle := func() {
			it := queue[0]
			queue = queue[1:]
			if !it.failed { // failures were settled when they happened
				collect(a.Add(it.slot, batch.Sample{ID: it.id}))
			}
		}
		id := int64(0)
		for e := range epochs {
			var good []int64
			for range r.IntN(40) {
				s, err := a.Slot(t.Context(), e)
				require.NoError(t, err)
				it := item{s, id, r.Float64() < bad}
				id++
				if it.failed {
					write(s, -1)
					a.Fail(s)
				} else {
					write(s, it.id)
					good = append(good, it.id)
				}
				if queue = append(queue, it); len(queue) > window {
					settle()
				}
			}
			want = append(want, chunk(good, size, last)...)
		}
		for len(queue) > 0 {
			settle()
		}
		collect(a.Flush())
		require.Equal(t, want, got, "seed %d", seed)
	}
}

// TestAnyOrderDeliversEachOnce checks that each good sample is in exactly one batch of its epoch, and that only an
// epoch's last batch is short. Samples are moved only at an epoch's end.
func TestAnyOrderDeliversEachOnce(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		size, epochs := 1+r.IntN(6), 1+r.IntN(3)
		bad := []float64{0, 0.1, 0.6, 1}[r.IntN(4)]
		pool := newPool(t, 60, size)
		a := newAssembler(t, batch.AssemblerOptions{Size: size, Pool: pool, Order: batch.Any})
		type item struct {
			slot batch.Slot
			id   int64
		}
		var queue []item
		good, got := map[int64]int{}, map[int64]int{}
		short := map[int]int{}
		collect := func(done []*batch.Batch) {
			for _, b := range done {
				for _, id := range ids(t, b) {
					require.Equal(t, good[id], b.Epoch, "seed %d: sample %d in another epoch", seed, id)
					got[id]++
				}
				if b.Len() < size {
					short[b.Epoch]++
				}
				b.Release()
			}
		}
		settle := func() {
			i := r.IntN(len(queue))
			it := queue[i]
			queue = append(queue[:i], queue[i+1:]...)
			if _, ok := good[it.id]; ok {
				write(it.slot, it.id)
				collect(a.Add(it.slot, batch.Sample{ID: it.id}))
			} else {
				collect(a.Fail(it.slot))
			}
		}
		id := int64(0)
		for e := range epochs {
			for range r.IntN(30) {
				s, err := a.Slot(t.Context(), e)
				require.NoError(t, err)
				if r.Float64() >= bad {
					good[id] = e
				}
				queue = append(queue, item{s, id})
				id++
				for len(queue) > r.IntN(8) {
					settle()
				}
			}
		}
		for len(queue) > 0 {
			settle()
		}
		collect(a.Flush())
		require.Len(t, got, len(good), "seed %d", seed)
		for id, n := range got {
			require.Equal(t, 1, n, "seed %d: sample %d", seed, id)
		}
		for e, n := range short {
			require.LessOrEqual(t, n, 1, "seed %d: short batches in epoch %d", seed, e)
		}
	}
}

// TestConcurrentWithTwoSlabs takes slots in one goroutine, decodes and fails in several, and collates in one, with
// memory for two slabs. There must be no deadlock and no race, and the batches are exact.
func TestConcurrentWithTwoSlabs(t *testing.T) {
	const n, size, workers = 3000, 8, 6
	for _, bad := range []float64{0, 0.1, 0.9} {
		pool := newPool(t, 2, size)
		a := newAssembler(t, batch.AssemblerOptions{Size: size, Pool: pool})
		type item struct {
			slot   batch.Slot
			id     int64
			failed chan bool
		}
		work, order := make(chan item), make(chan item, workers)
		r := rand.New(rand.NewPCG(7, 7))
		fails := make([]bool, n)
		var good []int64
		for i := range fails {
			if fails[i] = r.Float64() < bad; !fails[i] {
				good = append(good, int64(i))
			}
		}
		go func() {
			defer close(work)
			defer close(order)
			for id := range int64(n) {
				s, err := a.Slot(context.Background(), 0)
				if err != nil {
					t.Error(err)
					return
				}
				it := item{s, id, make(chan bool, 1)}
				order <- it
				work <- it
			}
		}()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for it := range work {
					write(it.slot, it.id)
					if fails[it.id] {
						a.Fail(it.slot)
					}
					it.failed <- fails[it.id]
				}
			})
		}
		var got [][]int64
		collect := func(done []*batch.Batch) {
			for _, b := range done {
				got = append(got, ids(t, b))
				b.Release()
			}
		}
		for it := range order {
			if !<-it.failed {
				collect(a.Add(it.slot, batch.Sample{ID: it.id}))
			}
		}
		wg.Wait()
		collect(a.Flush())
		require.Equal(t, chunk(good, size, batch.Keep), got)
	}
}

// TestBadEpochsNeedTwoSlabs checks that epochs of only bad samples keep no memory, whether their samples fail before or
// after the next epoch begins.
func TestBadEpochsNeedTwoSlabs(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, late := range []bool{false, true} {
			a := newAssembler(t, batch.AssemblerOptions{Size: 4, Pool: newPool(t, 2, 4), Order: order})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var before batch.Slot
			for e := range 20 {
				s, err := a.Slot(ctx, e)
				require.NoError(t, err, "order %v, epoch %d", order, e)
				switch {
				case !late:
					require.Empty(t, a.Fail(s))
				case e > 0:
					require.Empty(t, a.Fail(before))
				}
				before = s
			}
			if late {
				require.Empty(t, a.Fail(before))
			}
			require.Empty(t, a.Flush())
		}
	}
}

// TestAnyOrderEndsEpochsByFail checks that an epoch ends with its last settled sample, also if that sample failed and
// other epochs are incomplete.
func TestAnyOrderEndsEpochsByFail(t *testing.T) {
	a := newAssembler(t, batch.AssemblerOptions{Size: 4, Pool: newPool(t, 3, 4), Order: batch.Any})
	var slots []batch.Slot
	for _, epoch := range []int{0, 1, 1, 2} {
		s, err := a.Slot(t.Context(), epoch)
		require.NoError(t, err)
		write(s, int64(len(slots)))
		slots = append(slots, s)
	}
	require.Empty(t, a.Add(slots[1], batch.Sample{ID: 1}))
	done := a.Fail(slots[2])
	require.Len(t, done, 1)
	require.Equal(t, []int64{1}, ids(t, done[0]))
	require.Equal(t, 1, done[0].Epoch)
	done[0].Release()
	require.Empty(t, a.Fail(slots[0]))
	require.Empty(t, a.Fail(slots[3]))
	require.Empty(t, a.Flush())
}

// TestFailureRealigns checks that a failure moves only the samples being decoded: the spare slot realigns the others.
func TestFailureRealigns(t *testing.T) {
	const size = 8
	pool := newPool(t, 4, size)
	a := newAssembler(t, batch.AssemblerOptions{Size: size, Pool: pool})
	moved := 0
	for id := range int64(10 * size) {
		s, err := a.Slot(t.Context(), 0)
		require.NoError(t, err)
		if id == 3 {
			a.Fail(s)
			continue
		}
		write(s, id)
		place := &s.Bytes()[0]
		for _, b := range a.Add(s, batch.Sample{ID: id}) {
			if &b.Slot(size - 1)[0] != place {
				moved++
			}
			ids(t, b)
			b.Release()
		}
	}
	for _, b := range a.Flush() {
		require.Equal(t, size-1, b.Len())
		b.Release()
	}
	require.Equal(t, 1, moved, "only the batch that the spare slot completed")
}

func TestOptionsReportEverything(t *testing.T) {
	_, err := batch.NewAssembler(batch.AssemblerOptions{Size: -1, Order: 9, Last: 9})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, word := range []string{"Size -1", "no size", "Pool: must be set", "Order 9", "Last 9"} {
		require.ErrorContains(t, err, word)
	}
}

func TestSampleExcludesFields(t *testing.T) {
	d := spool.Desc{Shape: spool.Shape{sampleBytes}}
	for n := range 3 {
		fields := make([]batch.Field, n)
		for f := range fields {
			fields[f] = batch.Field{Name: string(rune('a' + f)), Sample: d}
		}
		_, err := batch.NewAssembler(batch.AssemblerOptions{Pool: newPool(t, 1, 33), Sample: d, Fields: fields})
		require.ErrorIs(t, err, spool.ErrOptions, n)
		require.ErrorContains(t, err, "Sample excludes Fields", n)
	}
}

func TestCloseNamesSlotsThatAreOut(t *testing.T) {
	pool := newPool(t, 2, 4)
	a, err := batch.NewAssembler(batch.AssemblerOptions{Size: 4, Pool: pool,
		Sample: spool.Desc{Shape: spool.Shape{sampleBytes}}})
	require.NoError(t, err)
	_, err = a.Slot(t.Context(), 0)
	require.NoError(t, err)
	require.ErrorIs(t, a.Close(), spool.ErrLeaked)
	require.NoError(t, a.Close())
	_, err = a.Slot(t.Context(), 0)
	require.ErrorIs(t, err, spool.ErrClosed)
}

func TestSlotWaitsWithContext(t *testing.T) {
	pool := newPool(t, 1, 2)
	a := newAssembler(t, batch.AssemblerOptions{Size: 2, Pool: pool})
	var slots []batch.Slot
	for range 2 {
		s, err := a.Slot(t.Context(), 0)
		require.NoError(t, err)
		slots = append(slots, s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Slot(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
	for _, s := range slots {
		a.Fail(s)
	}
}

func TestEpochsOnlyAscend(t *testing.T) {
	a := newAssembler(t, batch.AssemblerOptions{Size: 2, Pool: newPool(t, 2, 2)})
	s, err := a.Slot(t.Context(), 1)
	require.NoError(t, err)
	a.Fail(s)
	_, err = a.Slot(t.Context(), 0)
	require.ErrorIs(t, err, spool.ErrOptions)
}
