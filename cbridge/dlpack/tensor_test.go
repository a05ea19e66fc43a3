package dlpack_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
	"github.com/spoolmedia/spool/cbridge/dlpack/dlpacktest"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// taken exports an array and imports it as a consumer. released counts the calls of the release function.
func taken(t *testing.T, a dlpack.Array, o dlpack.Options) (_ dlpacktest.Tensor, released *int) {
	t.Helper()
	released = new(int)
	tensor, err := dlpack.New(a, o, func() { *released++ })
	require.NoError(t, err)
	return dlpacktest.Take(tensor, o.Versioned), released
}

// Each dtype has DLPack's code and width. The codes are 0 signed, 1 unsigned, 2 floating point, 4 bfloat.
func TestTypes(t *testing.T) {
	known := map[string][2]uint8{"uint8": {1, 8}, "uint16": {1, 16}, "int16": {0, 16}, "int32": {0, 32}, "int64": {0, 64},
		"float16": {2, 16}, "float32": {2, 32}, "bfloat16": {4, 16}, "float64": {2, 64}}
	for i := range math.MaxUint8 {
		d := spool.DType(i)
		a := dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{2}, DType: d}, Bytes: make([]byte, 16), Device: dlpack.CPU}
		if d.Size() == 0 {
			_, err := dlpack.New(a, dlpack.Options{}, nil)
			require.ErrorIs(t, err, spool.ErrUnsupported)
			continue
		}
		tensor, released := taken(t, a, dlpack.Options{})
		want := known[d.String()]
		assert.Equal(t, want, [2]uint8{tensor.Code, tensor.Bits}, "%v", d)
		assert.EqualValues(t, 1, tensor.Lanes)
		assert.Len(t, tensor.Bytes(), 2*d.Size())
		tensor.Delete()
		assert.Equal(t, 1, *released)
	}
}

func TestShapes(t *testing.T) {
	memory := make([]byte, 1<<10)
	for i := range memory {
		memory[i] = byte(i * 7)
	}
	for _, c := range []struct {
		shape   spool.Shape
		strides []int64
	}{
		{nil, nil},
		{spool.Shape{5}, []int64{1}},
		{spool.Shape{2, 3, 4}, []int64{12, 4, 1}},
		{spool.Shape{1, 1, 1, 1}, []int64{1, 1, 1, 1}},
		{spool.Shape{2, 1, 2, 1, 2, 1, 2, 2}, []int64{16, 16, 8, 8, 4, 4, 2, 1}},
		{spool.Shape{3, 0, 2}, []int64{2, 2, 1}},
	} {
		for _, versioned := range []bool{false, true} {
			a := dlpack.Array{Desc: spool.Desc{Shape: c.shape, DType: spool.Int16}, Bytes: memory, Device: dlpack.CPU}
			tensor, released := taken(t, a, dlpack.Options{Versioned: versioned})
			n, _ := a.Desc.Bytes()
			var shape []int64
			for _, d := range c.shape {
				shape = append(shape, int64(d))
			}
			assert.Equal(t, shape, tensor.Shape)
			assert.Equal(t, c.strides, tensor.Strides, "%v", c.shape)
			assert.Zero(t, tensor.Offset)
			if n > 0 {
				assert.Equal(t, memory[:n], tensor.Bytes())
				assert.Equal(t, uintptr(unsafe.Pointer(&memory[0])), tensor.Data, "nothing is copied")
			} else {
				assert.Zero(t, tensor.Data)
			}
			tensor.Delete()
			assert.Equal(t, 1, *released)
		}
	}
}

func TestDevicesAndFlags(t *testing.T) {
	desc := spool.Desc{Shape: spool.Shape{4}}
	device := dlpack.Array{Desc: desc, Pointer: 0x7f0012345600, Device: dlpack.CUDA, Number: 3}
	tensor, _ := taken(t, device, dlpack.Options{})
	assert.EqualValues(t, 0x7f0012345600, tensor.Data)
	assert.EqualValues(t, 2, tensor.Device)
	assert.EqualValues(t, 3, tensor.Number)
	tensor.Delete()

	memory := make([]byte, 4)
	for device, number := range map[dlpack.DeviceType]int32{dlpack.CPU: 1, dlpack.CUDAHost: 3} {
		tensor, _ = taken(t, dlpack.Array{Desc: desc, Bytes: memory, Device: device}, dlpack.Options{})
		assert.Equal(t, number, tensor.Device)
		assert.Zero(t, tensor.Number)
		tensor.Delete()
	}

	for flags, o := range []dlpack.Options{{}, {ReadOnly: true}, {Copied: true}, {ReadOnly: true, Copied: true}} {
		o.Versioned = true
		tensor, released := taken(t, device, o)
		assert.EqualValues(t, flags, tensor.Flags)
		assert.EqualValues(t, 1, tensor.Major)
		assert.EqualValues(t, 3, tensor.Minor)
		tensor.Delete()
		assert.Equal(t, 1, *released)
	}
}

// A failed New allocates nothing.
func TestRefused(t *testing.T) {
	ok := dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{4}}, Bytes: make([]byte, 4), Device: dlpack.CPU}
	before := mem.InUse()
	for _, c := range []struct {
		name  string
		array dlpack.Array
		o     dlpack.Options
		want  error
	}{
		{"too many dimensions", dlpack.Array{Desc: spool.Desc{Shape: make(spool.Shape, 9)}, Device: dlpack.CPU},
			dlpack.Options{}, spool.ErrShape},
		{"more elements than the memory holds",
			dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{5}}, Bytes: make([]byte, 4), Device: dlpack.CPU}, dlpack.Options{},
			spool.ErrShape},
		{"a negative dimension", dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{-1}}, Bytes: make([]byte, 4),
			Device: dlpack.CPU}, dlpack.Options{}, spool.ErrShape},
		{"overflow", dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{1 << 40, 1 << 40}}, Pointer: 1, Device: dlpack.CUDA},
			dlpack.Options{}, spool.ErrShape},
		{"read only, not versioned", ok, dlpack.Options{ReadOnly: true}, spool.ErrOptions},
		{"copied, not versioned", ok, dlpack.Options{Copied: true}, spool.ErrOptions},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := dlpack.New(c.array, c.o, func() { t.Error("released") })
			require.ErrorIs(t, err, c.want)
		})
	}
	assert.Equal(t, before, mem.InUse())
}

// Consumers may delete tensors on any thread at any time. The buffer is returned to its pool.
func TestBuffersGoBack(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	var consumers sync.WaitGroup
	for g := range 8 {
		consumers.Go(func() {
			for i := range 200 {
				b, err := pool.Get(context.Background(), 1000)
				if !assert.NoError(t, err) {
					return
				}
				b.Bytes()[999] = byte(i)
				tensor, err := dlpack.New(dlpack.Array{Desc: b.Desc(), Bytes: b.Bytes(), Device: dlpack.CPU},
					dlpack.Options{Versioned: g%2 == 1}, b.Release)
				if !assert.NoError(t, err) {
					b.Release()
					return
				}
				taken := dlpacktest.Take(tensor, g%2 == 1)
				assert.Equal(t, byte(i), taken.Bytes()[999])
				switch i % 3 {
				case 0:
					taken.Delete()
				case 1:
					assert.NoError(t, taken.DeleteElsewhere())
				default:
					dlpack.Delete(tensor)
				}
			}
		})
	}
	consumers.Wait()
	assert.Zero(t, pool.Stats().Buffers)
	assert.Zero(t, mem.Stats()[mem.Tensor])
	require.NoError(t, pool.Close())
}

// A child process may delete a tensor that it inherited. It does not hang, and the parent's tensor is not released.
func TestDeletedInAChild(t *testing.T) {
	for _, versioned := range []bool{false, true} {
		a := dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{1}}, Bytes: []byte{42}, Device: dlpack.CPU}
		tensor, released := taken(t, a, dlpack.Options{Versioned: versioned})
		require.NoError(t, tensor.DeleteInChild())
		assert.Zero(t, *released)
		assert.Equal(t, []byte{42}, tensor.Bytes())
		tensor.Delete()
		assert.Equal(t, 1, *released)
	}
}

func BenchmarkTensor(b *testing.B) {
	a := dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{32, 224, 224, 3}}, Bytes: make([]byte, 32*224*224*3),
		Device: dlpack.CPU}
	for b.Loop() {
		tensor, err := dlpack.New(a, dlpack.Options{}, func() {})
		if err != nil {
			b.Fatal(err)
		}
		dlpacktest.Take(tensor, false).Delete()
	}
}
