package transfer_test

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/transfer"
)

// The same program runs on every kind of device.
func TestRoundTrip(t *testing.T) {
	file := ""
	if !realDevice {
		file = fake.New(t, fake.Settings{DelayMicros: 100}).File
	}
	for _, name := range []string{"host", "pinned", "cuda:0", "cuda"} {
		t.Run(name, func(t *testing.T) {
			d, err := transfer.Open(name, transfer.DeviceOptions{Driver: file})
			require.NoError(t, err)
			pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(d)})
			require.NoError(t, err)
			c, err := transfer.NewCopier(d, transfer.CopierOptions{})
			require.NoError(t, err)
			r := &rig{pool: pool, copier: c}
			for i := range 7 {
				b := r.copyBatch(t, i, 1000*(1+i%3))
				assert.Equal(t, i, b.Index)
				assert.Equal(t, []batch.Sample{{ID: int64(i), Label: -1}}, b.Samples)
				a := b.Arrays()[0]
				assert.Equal(t, d.Kind() == transfer.CUDA, a.Pointer != 0)
				assert.Equal(t, d.Kind() == transfer.CUDA, a.Bytes == nil)
				require.NoError(t, b.WaitOn(0))
				require.NoError(t, b.Wait(t.Context()))
				r.check(t, b, i, 1000*(1+i%3))
				b.Release()
				assert.Panics(t, b.Release)
				assert.Panics(t, func() { b.Arrays() })
			}
			assert.EqualValues(t, 7, c.Stats().Batches)
			require.NoError(t, c.Close())
			require.NoError(t, c.Close())
			late, err := decoded(t.Context(), pool, 0, 100)
			require.NoError(t, err)
			_, err = c.Copy(t.Context(), late)
			require.ErrorIs(t, err, spool.ErrClosed)
			late.Release()
			require.NoError(t, pool.Close())
			require.NoError(t, d.Close())
			require.NoError(t, d.Close())
		})
	}
}

// Between decoder and device a batch is copied once, by the device itself.
func TestOneCopyABatch(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{})
	const batches, n = 20, 1 << 16
	for i := range batches {
		b := r.copyBatch(t, i, n)
		require.NoError(t, b.Wait(withTimeout(t)))
		b.Release()
	}
	require.NoError(t, r.copier.Close())
	c := r.fake.Counters()
	assert.EqualValues(t, batches, c.ToDeviceCopies)
	assert.EqualValues(t, batches*n, c.ToDeviceBytes)
	assert.EqualValues(t, batches*n, r.copier.Stats().Bytes)
	assert.Zero(t, c.PageableBytes)
	assert.Zero(t, c.ToHostBytes)
}

// Arrays in one buffer are copied together.
func TestNestedArrays(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{})
	buffer, err := r.pool.Get(t.Context(), 4096)
	require.NoError(t, err)
	for i := range buffer.Bytes() {
		buffer.Bytes()[i] = byte(i * 3)
	}
	want := append([]byte(nil), buffer.Bytes()...)
	parts := []transfer.ArrayAt{
		{Desc: spool.Desc{Shape: spool.Shape{2, 5, 5, 3}, Layout: spool.NHWC}},
		{Offset: 1024, Desc: spool.Desc{Shape: spool.Shape{2}, DType: spool.Int64}},
		{Offset: 2000, Desc: spool.Desc{Shape: spool.Shape{2}, DType: spool.Float32}},
	}
	for _, wrong := range []transfer.ArrayAt{
		{Offset: -1, Desc: parts[0].Desc}, {Offset: 4090, Desc: parts[1].Desc}, {Offset: 5000, Desc: parts[1].Desc},
		{Desc: spool.Desc{Shape: spool.Shape{-1}}}, {Desc: spool.Desc{Shape: spool.Shape{0}}},
	} {
		_, err = r.copier.CopyBuffer(t.Context(), buffer, wrong)
		require.ErrorIs(t, err, spool.ErrShape, "%+v", wrong)
	}
	b, err := r.copier.CopyBuffer(withTimeout(t), buffer, parts...)
	require.NoError(t, err)
	defer b.Release()
	for i, p := range parts {
		n, _ := p.Desc.Bytes()
		a := b.Arrays()[i]
		assert.Equal(t, b.Arrays()[0].Pointer+uint64(p.Offset), a.Pointer)
		assert.Equal(t, p.Desc, a.Desc)
		got, err := b.Fetch(withTimeout(t), i, r.pool)
		require.NoError(t, err)
		assert.Equal(t, p.Desc, got.Desc())
		assert.Equal(t, want[p.Offset:p.Offset+n], got.Bytes())
		got.Release()
	}
	_, err = b.Fetch(t.Context(), 3, r.pool)
	require.ErrorIs(t, err, spool.ErrOptions)
	if r.fake != nil {
		c := r.fake.Counters()
		assert.EqualValues(t, 1, c.ToDeviceCopies)
		assert.EqualValues(t, 2000+8, c.ToDeviceBytes)
	}
}

// A copier waits only while its consumer holds the whole ring.
func TestBackPressure(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{Slabs: 2}, fake.Settings{})
	held := []*transfer.Batch{r.copyBatch(t, 0, 1000), r.copyBatch(t, 1, 1000)}
	b, err := decoded(t.Context(), r.pool, 2, 1000)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.copier.Copy(ctx, b)
	require.ErrorIs(t, err, context.Canceled)

	come := make(chan *transfer.Batch)
	go func() {
		next, err := r.copier.Copy(context.Background(), b) // b still belongs to the test
		assert.NoError(t, err)
		come <- next
	}()
	for r.copier.Stats().Waits < 2 {
		runtime.Gosched()
	}
	select {
	case <-come:
		t.Error("there was no slab for it")
	default:
	}
	held[1].Release() // in any order
	next := <-come
	r.check(t, next, 2, 1000)
	r.check(t, held[0], 0, 1000)
	next.Release()
	held[0].Release()
	require.NoError(t, r.copier.Close())
}

// Copies of later batches overlap the use of a batch, up to the ring's size. Early release does not expose a batch to
// them.
func TestCopiesRunBesideUse(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 3}, fake.Settings{})
	const n = 1000
	stream, err := r.theirs.NewStream()
	require.NoError(t, err)
	into, err := r.pool.Get(t.Context(), n)
	require.NoError(t, err)

	first := r.copyBatch(t, 0, n)
	require.NoError(t, first.WaitOn(spool.DeviceStream(stream)))
	r.fake.Hold(uintptr(stream))
	require.NoError(t, r.theirs.ToHost(into.Bytes(), cuda.Pointer(first.Arrays()[0].Pointer), stream)) // use of the batch
	first.Release()
	second, third := r.copyBatch(t, 1, n), r.copyBatch(t, 2, n)
	require.NoError(t, second.Wait(withTimeout(t)))
	require.NoError(t, third.Wait(withTimeout(t)))

	fourth := r.copyBatch(t, 3, n) // takes the first one's slab: queued at once, and executed after its use
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, fourth.Wait(soon), context.DeadlineExceeded)
	r.fake.Go()
	require.NoError(t, fourth.Wait(withTimeout(t)))
	require.NoError(t, r.theirs.Finish(stream))
	assert.Equal(t, content(0, n), into.Bytes())
	r.check(t, fourth, 3, n)
	for _, b := range []*transfer.Batch{second, third, fourth} {
		b.Release()
	}
	into.Release()
	require.NoError(t, r.theirs.CloseStream(stream))
	require.NoError(t, r.copier.Close())
}

// Several decoders and consumers share a copier.
func TestConcurrentUse(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{DelayMicros: 50})
	var users sync.WaitGroup
	for g := range 4 {
		users.Go(func() {
			for i := range 30 {
				b, err := decoded(context.Background(), r.pool, 100*g+i, 1000+100*g)
				if !assert.NoError(t, err) {
					return
				}
				on, err := r.copier.Copy(context.Background(), b)
				if !assert.NoError(t, err) {
					b.Release()
					return
				}
				if got, err := on.Fetch(context.Background(), 0, r.pool); assert.NoError(t, err) {
					assert.True(t, bytes.Equal(content(100*g+i, 1000+100*g), got.Bytes()))
					got.Release()
				}
				on.Release()
			}
		})
	}
	users.Wait()
	require.NoError(t, r.copier.Close())
	assert.Equal(t, transfer.CopierStats{Batches: 120, Bytes: 30 * 4600, Fetched: 30 * 4600,
		Waits: r.copier.Stats().Waits}, r.copier.Stats())
}

// A fetch whose context ends continues, and its buffer and slab are kept until it is complete.
func TestFetchThatIsGivenUp(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{})
	b := r.copyBatch(t, 0, 1000)
	require.NoError(t, b.Wait(withTimeout(t)))
	r.fake.Hold(0)
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := b.Fetch(soon, 0, r.pool)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.Release()
	assert.EqualValues(t, 1, r.pool.Stats().Buffers)
	next := r.copyBatch(t, 1, 1000)
	r.fake.Go()
	r.check(t, next, 1, 1000)
	next.Release()
	require.NoError(t, r.copier.Close())
	assert.Zero(t, r.pool.Stats().Buffers)
}

func TestDeviceWithoutRoom(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 2}, fake.Settings{Memory: 10000})
	small := r.copyBatch(t, 0, 4000)
	b, err := decoded(t.Context(), r.pool, 1, 8000)
	require.NoError(t, err)
	_, err = r.copier.Copy(withTimeout(t), b)
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	require.ErrorContains(t, err, "cuda:0")
	small.Release()
	b.Release()
	for i := range 3 { // the copier continues to work
		next := r.copyBatch(t, i, 4000)
		r.check(t, next, i, 4000)
		next.Release()
	}
	require.NoError(t, r.copier.Close())

	_, err = transfer.NewCopier(r.device, transfer.CopierOptions{Slabs: 3, SlabBytes: 4000})
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	_, err = transfer.NewCopier(r.device, transfer.CopierOptions{Slabs: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
}

func TestCloseWhileBatchesAreOut(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{SlabBytes: 1000}, fake.Settings{DelayMicros: 1000})
	require.NoError(t, r.pool.Reserve(1000, 3))
	b := r.copyBatch(t, 5, 1000)
	require.ErrorIs(t, r.copier.Close(), spool.ErrLeaked)
	require.ErrorIs(t, r.copier.Close(), spool.ErrLeaked)
	require.ErrorIs(t, r.device.Close(), spool.ErrLeaked)
	late := r.decoded(t)
	_, err := r.copier.Copy(t.Context(), late)
	require.ErrorIs(t, err, spool.ErrClosed)
	r.check(t, b, 5, 1000) // the batch is still there
	b.Release()
	require.NoError(t, r.copier.Close())
	_, err = transfer.NewCopier(r.device, transfer.CopierOptions{})
	require.ErrorIs(t, err, spool.ErrClosed)
	_, err = r.memory.Alloc(10)
	require.ErrorIs(t, err, spool.ErrClosed)
	_, _, err = r.device.Memory()
	require.ErrorIs(t, err, spool.ErrClosed)
}

// decoded makes a batch that the test releases.
func (r *rig) decoded(t testing.TB) *batch.Batch {
	t.Helper()
	b, err := decoded(t.Context(), r.pool, 0, 100)
	require.NoError(t, err)
	t.Cleanup(b.Release)
	return b
}

// A lost device fails all calls with an error that names it, including waiting ones.
func TestLostDevice(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{FailOp: 3, FailCode: 700})
	b := r.copyBatch(t, 0, 1000)
	require.NoError(t, b.Wait(withTimeout(t)))
	b.Release()
	r.fake.Hold(0)
	b = r.copyBatch(t, 1, 1000) // the third operation
	r.fake.Go()
	err := b.Wait(withTimeout(t))
	require.ErrorIs(t, err, spool.ErrDevice)
	require.EqualError(t, err, "wait for event cuda:0: device: cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS: an "+
		"illegal memory access was encountered (libcuda 700)")
	require.Equal(t, err, b.WaitOn(0))
	waiting := r.decoded(t)
	_, again := r.copier.Copy(withTimeout(t), waiting) // although no slab is free
	require.Equal(t, err, again)
	_, again = b.Fetch(withTimeout(t), 0, r.pool)
	require.ErrorIs(t, again, spool.ErrDevice)
	b.Release()
	again = r.copier.Close()
	require.ErrorIs(t, again, spool.ErrDevice)
	require.ErrorContains(t, again, "cuda:0")
	assert.EqualValues(t, 1, r.pool.Stats().Buffers, "but for the one that is ours")
}

func TestForgottenCopierIsFreed(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{})
	inUse := handles
	if r.fake != nil { // without what earlier tests free in the background
		inUse = func() int64 { return r.fake.Counters().InUse() }
	}
	before := inUse()
	func() {
		c, err := transfer.NewCopier(r.device, transfer.CopierOptions{SlabBytes: 1000})
		require.NoError(t, err)
		b, err := c.Copy(withTimeout(t), func() *batch.Batch {
			b, err := decoded(t.Context(), r.pool, 0, 1000)
			require.NoError(t, err)
			return b
		}())
		require.NoError(t, err)
		require.NoError(t, b.Wait(withTimeout(t)))
		b.Release()
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return inUse()-before == r.memory.Stats().Registered
	}, time.Minute, time.Millisecond)
}
