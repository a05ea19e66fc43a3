package transfer_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/dlpack/dlpacktest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/transfer"
)

// Another library holds a buffer, and a slot of a batch, longer than their owner.
func TestDLPackOfTheHost(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	sample := spool.Desc{Shape: spool.Shape{2, 2, 3}, Layout: spool.HWC}
	assembler, err := batch.NewAssembler(batch.AssemblerOptions{Size: 2, Sample: sample, Pool: pool})
	require.NoError(t, err)
	var batches []*batch.Batch
	for i := range 2 {
		slot, err := assembler.Slot(t.Context(), 0)
		require.NoError(t, err)
		copy(slot.Bytes(), content(i, 12))
		batches = append(batches, assembler.Add(slot, batch.Sample{ID: int64(i)})...)
	}
	require.Len(t, batches, 1)
	b := batches[0]
	buffer, err := pool.Get(t.Context(), 100)
	require.NoError(t, err)
	copy(buffer.Bytes(), content(7, 100))

	var taken []dlpacktest.Tensor
	for _, versioned := range []bool{false, true} {
		o := transfer.DLPackOptions{Versioned: versioned, ReadOnly: versioned}
		whole, err := transfer.Array{Desc: buffer.Desc(), Bytes: buffer.Bytes()}.DLPack(o, buffer.Retain().Release)
		require.NoError(t, err)
		slot, err := transfer.Array{Desc: sample, Bytes: b.Slot(1)}.DLPack(o, b.Retain().Release)
		require.NoError(t, err)
		taken = append(taken, dlpacktest.Take(whole, versioned), dlpacktest.Take(slot, versioned))
	}
	b.Release()
	buffer.Release()
	require.NoError(t, assembler.Close())
	assert.EqualValues(t, 2, pool.Stats().Buffers, "the consumer has them")
	for i, tensor := range taken {
		want, shape := content(7, 100), []int64{100}
		if i%2 == 1 {
			want, shape = content(1, 12), []int64{2, 2, 3}
		}
		assert.Equal(t, shape, tensor.Shape)
		assert.Equal(t, want, tensor.Bytes())
		assert.EqualValues(t, i/2, tensor.Flags)
		assert.EqualValues(t, 1, tensor.Device)
		require.NoError(t, tensor.DeleteElsewhere())
	}
	assert.Zero(t, pool.Stats().Buffers)
	require.NoError(t, pool.Close())
}

// Batches as tensors, on every kind of device.
func TestDLPackOfABatch(t *testing.T) {
	file := ""
	if !realDevice {
		file = fake.New(t, fake.Settings{Devices: 2, DelayMicros: 50}).File
	}
	for _, c := range []struct {
		device string
		plain  bool
		want   [2]int32
	}{
		{"host", false, [2]int32{1, 0}}, {"pinned", false, [2]int32{3, 0}}, {"pinned", true, [2]int32{1, 0}},
		{"cuda:1", false, [2]int32{2, 1}},
	} {
		t.Run(c.device, func(t *testing.T) {
			if realDevice && c.device == "cuda:1" {
				need.Skip(t, need.Device, "no second one")
			}
			d, err := transfer.Open(c.device, transfer.DeviceOptions{Driver: file})
			require.NoError(t, err)
			pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(d)})
			require.NoError(t, err)
			copier, err := transfer.NewCopier(d, transfer.CopierOptions{Slabs: 1})
			require.NoError(t, err)
			b := (&rig{pool: pool, copier: copier}).copyBatch(t, 3, 600)
			array := b.Arrays()[0]
			tensor, err := b.DLPack(0, 0, transfer.DLPackOptions{Plain: c.plain})
			require.NoError(t, err)
			b.Release()
			taken := dlpacktest.Take(tensor, false)
			assert.Equal(t, c.want, [2]int32{taken.Device, taken.Number})
			assert.Equal(t, []int64{1, 600}, taken.Shape)
			if d.Kind() == transfer.CUDA {
				assert.EqualValues(t, array.Pointer, taken.Data)
			} else {
				assert.Equal(t, content(3, 600), taken.Bytes())
			}
			require.ErrorIs(t, copier.Close(), spool.ErrLeaked)
			require.NoError(t, taken.DeleteElsewhere())
			require.NoError(t, copier.Close())
			require.NoError(t, pool.Close())
			require.NoError(t, d.Close())
		})
	}
}

// A consumer reads after the copy, in its own stream, and the slab is used again only after that. Nothing waits on the
// host, and the deleter is called long before the work is complete.
func TestDLPackFollowsTheConsumersStream(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{DelayMicros: 300})
	const n, batches = 5000, 20
	stream, err := r.theirs.NewStream()
	require.NoError(t, err)
	read := map[int]*spool.Buffer{}
	for i := range batches {
		b := r.copyBatch(t, i, n)
		tensor, err := b.DLPack(0, spool.DeviceStream(stream), transfer.DLPackOptions{Versioned: true})
		require.NoError(t, err)
		b.Release()
		taken := dlpacktest.Take(tensor, true)
		read[i], err = r.pool.Get(t.Context(), n)
		require.NoError(t, err)
		require.NoError(t, r.theirs.ToHost(read[i].Bytes(), cuda.Pointer(taken.Data), stream))
		require.NoError(t, taken.DeleteElsewhere())
	}
	require.NoError(t, r.theirs.Finish(stream))
	for i, b := range read {
		assert.Equal(t, content(i, n), b.Bytes(), "batch %d", i)
		b.Release()
	}
	require.NoError(t, r.theirs.CloseStream(stream))
	require.NoError(t, r.copier.Close())
}

// A consumer without a stream waits, and has finished when it calls the deleter. Default streams of threads become the
// legacy one.
func TestDLPackStreams(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{DelayMicros: 100})
	for i, s := range []spool.DeviceStream{transfer.NoStream, 0, 1, 2} {
		b := r.copyBatch(t, i, 400)
		tensor, err := b.DLPack(0, s, transfer.DLPackOptions{})
		require.NoError(t, err)
		require.NoError(t, b.Wait(withTimeout(t)))
		r.check(t, b, i, 400)
		b.Release()
		require.NoError(t, dlpacktest.Take(tensor, false).DeleteElsewhere())
	}
	require.NoError(t, r.copier.Close())
}

// If a tensor is refused, the batch is unchanged.
func TestDLPackRefused(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{})
	b := r.copyBatch(t, 0, 100)
	_, err := b.DLPack(1, 0, transfer.DLPackOptions{})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = b.DLPack(0, 0, transfer.DLPackOptions{ReadOnly: true})
	require.ErrorIs(t, err, spool.ErrOptions)
	tensor, err := b.DLPack(0, 0, transfer.DLPackOptions{})
	require.NoError(t, err)
	transfer.DeleteDLPack(tensor)
	r.check(t, b, 0, 100)
	b.Release()
	require.NoError(t, r.copier.Close())
	assert.Panics(t, func() { _, _ = b.DLPack(0, 0, transfer.DLPackOptions{}) })
}

// After the loss of a device, a request for a tensor returns its error, and nothing is kept.
func TestDLPackOfALostDevice(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{FailOp: 1})
	r.fake.Hold(0)
	b := r.copyBatch(t, 0, 100)
	r.fake.Go()
	require.ErrorIs(t, b.Wait(withTimeout(t)), spool.ErrDevice)
	_, err := b.DLPack(0, 0, transfer.DLPackOptions{})
	require.ErrorIs(t, err, spool.ErrDevice)
	_, err = b.CUDAArray(0, 0, false)
	require.ErrorIs(t, err, spool.ErrDevice)
	b.Release()
	require.ErrorIs(t, r.copier.Close(), spool.ErrDevice)
}

func TestCUDAArray(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{DelayMicros: 50})
	stream, err := r.theirs.NewStream()
	require.NoError(t, err)
	buffer, err := r.pool.Get(t.Context(), 4096)
	require.NoError(t, err)
	names := map[string]string{"uint8": "|u1", "uint16": "<u2", "int16": "<i2", "int32": "<i4", "int64": "<i8",
		"float16": "<f2", "float32": "<f4", "float64": "<f8", "bfloat16": "<V2"}
	parts := []transfer.ArrayAt{{Offset: 64, Desc: spool.Desc{Shape: spool.Shape{0, 3}}},
		{Offset: 72, Desc: spool.Desc{DType: spool.Int64}}}
	for i := range math.MaxUint8 {
		if d := spool.DType(i); d.Size() > 0 {
			parts = append(parts, transfer.ArrayAt{Offset: 128 * len(parts),
				Desc: spool.Desc{Shape: spool.Shape{2, 3}, DType: d}})
		}
	}
	b, err := r.copier.CopyBuffer(withTimeout(t), buffer, parts...)
	require.NoError(t, err)
	for i, p := range parts {
		got, err := b.CUDAArray(i, spool.DeviceStream(stream), i%2 == 0)
		require.NoError(t, err)
		text, err := json.Marshal(got)
		require.NoError(t, err)
		want := map[string]any{"version": 3, "typestr": names[p.Desc.DType.String()], "strides": nil,
			"stream": uintptr(stream),
			"shape":  append(spool.Shape{}, p.Desc.Shape...), "data": []any{b.Arrays()[i].Pointer, i%2 == 0}}
		if i == 0 {
			want["data"] = []any{0, true}
		}
		expected, err := json.Marshal(want)
		require.NoError(t, err)
		assert.JSONEq(t, string(expected), string(text))
	}
	for s, want := range map[spool.DeviceStream]any{0: 1., 1: 1., 2: 2., transfer.NoStream: nil} {
		got, err := b.CUDAArray(2, s, false)
		require.NoError(t, err)
		text, err := json.Marshal(got)
		require.NoError(t, err)
		var dictionary map[string]any
		require.NoError(t, json.Unmarshal(text, &dictionary))
		assert.Equal(t, want, dictionary["stream"])
	}
	_, err = b.CUDAArray(len(parts), 0, false)
	require.ErrorIs(t, err, spool.ErrOptions)

	// The stream follows the copy, and keeps the slab.
	into, err := r.pool.Get(t.Context(), 6)
	require.NoError(t, err)
	require.NoError(t, r.theirs.ToHost(into.Bytes(), cuda.Pointer(b.Arrays()[2].Pointer), stream))
	b.Release()
	require.NoError(t, r.copier.Close())
	require.NoError(t, r.theirs.Finish(stream))
	into.Release()
	require.NoError(t, r.theirs.CloseStream(stream))
}

func TestCUDAArrayOfTheHost(t *testing.T) {
	d, err := transfer.Open("host", transfer.DeviceOptions{})
	require.NoError(t, err)
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	copier, err := transfer.NewCopier(d, transfer.CopierOptions{})
	require.NoError(t, err)
	b := (&rig{pool: pool, copier: copier}).copyBatch(t, 0, 10)
	_, err = b.CUDAArray(0, 0, false)
	require.ErrorIs(t, err, spool.ErrOptions)
	b.Release()
	require.NoError(t, copier.Close())
	require.NoError(t, pool.Close())
}

// Two owners of a batch use it in their own streams; its slab is used again after both.
func TestShare(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{})
	b := r.copyBatch(t, 0, 1000)
	other := b.Retain()
	assert.Equal(t, b.Samples, other.Samples)
	assert.Equal(t, b.Arrays(), other.Arrays())
	var read []*spool.Buffer
	var streams []cuda.Stream
	for _, owner := range []*transfer.Batch{b, other} {
		stream, err := r.theirs.NewStream()
		require.NoError(t, err)
		require.NoError(t, owner.WaitOn(spool.DeviceStream(stream)))
		r.fake.Hold(uintptr(stream))
		into, err := r.pool.Get(t.Context(), 1000)
		require.NoError(t, err)
		require.NoError(t, r.theirs.ToHost(into.Bytes(), cuda.Pointer(owner.Arrays()[0].Pointer), stream))
		read, streams = append(read, into), append(streams, stream)
	}
	b.Release()
	assert.Panics(t, b.Release)
	assert.NotPanics(t, func() { other.Arrays() })
	other.Release()
	next := r.copyBatch(t, 1, 1000)
	r.fake.Go()
	r.check(t, next, 1, 1000)
	next.Release()
	for i, into := range read {
		require.NoError(t, r.theirs.Finish(streams[i]))
		assert.Equal(t, content(0, 1000), into.Bytes())
		into.Release()
		require.NoError(t, r.theirs.CloseStream(streams[i]))
	}
	require.NoError(t, r.copier.Close())
}
