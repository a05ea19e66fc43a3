package cuda_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
)

func open(t testing.TB, f *fake.Driver) *cuda.Context {
	t.Helper()
	d, err := cuda.Load(f.File)
	require.NoError(t, err)
	c, err := d.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
	})
	return c
}

// host allocates memory outside the Go heap.
func host(t testing.TB, n int) []byte {
	t.Helper()
	memory, err := spool.Mmap{}.Alloc(n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, spool.Mmap{}.Free(memory)) })
	return memory
}

func TestDevices(t *testing.T) {
	f := fake.New(t, fake.Settings{Devices: 2, Memory: 1 << 20})
	d, err := cuda.Load(f.File)
	require.NoError(t, err)
	assert.Equal(t, "12.4", d.Version())
	assert.Equal(t, 2, d.Devices())
	got, err := d.Device(1)
	require.NoError(t, err)
	assert.Equal(t, cuda.Device{Name: "Fake Device 1", Bus: "fa4e:01:00.0", Bytes: 1 << 20, Major: 8, Minor: 6,
		Bandwidth: 3_200_000_000}, got)
	for _, n := range []int{-1, 2} {
		_, err = d.Device(n)
		require.ErrorIs(t, err, spool.ErrDevice)
		_, err = d.Open(n)
		require.ErrorIs(t, err, spool.ErrDevice)
		assert.ErrorContains(t, err, "there are 2")
	}
}

func TestDriversThatAreNone(t *testing.T) {
	_, err := cuda.Load(filepath.Join(t.TempDir(), "libcuda.so.1"))
	require.ErrorIs(t, err, spool.ErrDevice)
	assert.ErrorContains(t, err, "cannot open shared object file")

	text := filepath.Join(t.TempDir(), "libcuda.so.1")
	require.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	_, err = cuda.Load(text)
	require.ErrorIs(t, err, spool.ErrDevice)

	_, err = cuda.Load("libdl.so.2") // a library, but not a driver
	require.ErrorIs(t, err, spool.ErrDevice)
	assert.ErrorContains(t, err, "no cuInit")

	_, err = cuda.Load("a\x00b")
	require.ErrorIs(t, err, spool.ErrOptions)

	none := fake.New(t, fake.Settings{Devices: -1})
	_, err = cuda.Load(none.File)
	require.ErrorIs(t, err, cuda.NoDevice)
	require.EqualError(t, err, "load: device: cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected (libcuda "+
		"100)")
	var e *spool.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 100, e.Code)

	unknown := fake.New(t, fake.Settings{Broken: 12345})
	_, err = cuda.Load(unknown.File)
	assert.EqualError(t, err, "load: device: cuInit: unknown error: no text (libcuda 12345)")
}

func TestRoundTrip(t *testing.T) {
	f := fake.New(t, fake.Settings{DelayMicros: 500})
	c := open(t, f)
	const n = 1 << 16
	from, to := host(t, n), host(t, n)
	for i := range from {
		from[i] = byte(i * 7)
	}
	for _, memory := range [][]byte{from, to} {
		require.NoError(t, c.Register(memory))
	}
	p, err := c.Alloc(n)
	require.NoError(t, err)
	there, err := c.NewStream()
	require.NoError(t, err)
	back, err := c.NewStream()
	require.NoError(t, err)
	e, err := c.NewEvent()
	require.NoError(t, err)

	f.Hold(0)
	require.NoError(t, c.ToDevice(p, from, there))
	require.NoError(t, c.Record(e, there))
	require.NoError(t, c.Follow(back, e))
	require.NoError(t, c.ToHost(to, p, back))
	assert.False(t, bytes.Equal(from, to), "the streams run behind")
	f.Go()
	require.NoError(t, c.Wait(e))
	require.NoError(t, c.Finish(back))
	assert.True(t, bytes.Equal(from, to))

	got := f.Counters()
	assert.Equal(t, [4]int64{1, n, 1, n},
		[4]int64{got.ToDeviceCopies, got.ToDeviceBytes, got.ToHostCopies, got.ToHostBytes})
	assert.Zero(t, got.PageableBytes)
	assert.Equal(t, cuda.Usage{Contexts: 1, Blocks: 1, Registered: 2 * n, Streams: 2, Events: 1}, cuda.InUse())

	free, total, err := c.Memory()
	require.NoError(t, err)
	assert.Equal(t, total-n, free)
	require.NoError(t, c.CloseEvent(e))
	require.NoError(t, c.CloseStream(there))
	require.NoError(t, c.CloseStream(back))
	require.NoError(t, c.Free(p))
	require.NoError(t, c.Unregister(from))
	require.NoError(t, c.Unregister(to))
}

func TestMemoryHasAnEnd(t *testing.T) {
	c := open(t, fake.New(t, fake.Settings{Memory: 1 << 20, Lockable: 1 << 16}))
	_, err := c.Alloc(1<<20 + 1)
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	require.ErrorIs(t, err, cuda.OutOfMemory)
	assert.Equal(t, spool.ErrDevice, spool.ClassOf(err))
	require.ErrorIs(t, c.Register(host(t, 1<<17)), spool.ErrOutOfMemory)
}

// Each call restores the context that was current on the caller's thread, even if it fails.
func TestCallersContextIsLeftAlone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := fake.New(t, fake.Settings{Devices: 2})
	d, err := cuda.Load(f.File)
	require.NoError(t, err)
	theirs, err := d.Open(1)
	require.NoError(t, err)
	defer theirs.Close()
	c := open(t, f)
	for _, pushed := range []bool{false, true} {
		if pushed {
			f.Push(1)
			defer f.Pop()
			require.NotZero(t, f.Current())
		}
		want := f.Current()
		p, err := c.Alloc(100)
		require.NoError(t, err)
		assert.Equal(t, want, f.Current())
		_, err = c.Alloc(1 << 40)
		require.Error(t, err)
		assert.Equal(t, want, f.Current())
		require.NoError(t, c.Free(p))
		assert.Equal(t, want, f.Current())

		require.ErrorIs(t, c.Within(func() error {
			assert.NotEqual(t, want, f.Current())
			return spool.ErrClosed
		}), spool.ErrClosed)
		assert.Equal(t, want, f.Current())
	}
}

// normalize has the parameters of a kernel of cbridge/cuda/kernels.
type normalize struct {
	in, out                    uint64
	width, height, wide, exact uint32
	mean, std, inverse         [4]float32
	flips                      [256]uint32
}

// use calls each function once, and returns the first error.
func use(f *fake.Driver, ptx string, from, to []byte) (err error) {
	keep := func(next error) {
		if err == nil {
			err = next
		}
	}
	d, err := cuda.Load(f.File)
	if err != nil {
		return err
	}
	if _, err := d.Device(0); err != nil {
		return err
	}
	c, err := d.Open(0)
	if err != nil {
		return err
	}
	defer func() { keep(c.Close()) }()
	if _, _, err := c.Memory(); err != nil {
		return err
	}
	if err := c.Register(from); err != nil {
		return err
	}
	defer func() { keep(c.Unregister(from)) }()
	p, err := c.Alloc(len(from))
	if err != nil {
		return err
	}
	defer func() { keep(c.Free(p)) }()
	s, err := c.NewStream()
	if err != nil {
		return err
	}
	defer func() { keep(c.CloseStream(s)) }()
	defer func() { keep(c.Finish(s)) }()
	e, err := c.NewEvent()
	if err != nil {
		return err
	}
	defer func() { keep(c.CloseEvent(e)) }()
	m, err := c.LoadModule(ptx)
	if err != nil {
		return err
	}
	defer func() { keep(c.CloseModule(m)) }()
	defer func() { keep(c.Finish(s)) }()
	fn, err := c.Function(m, "normalize_1_2")
	if err != nil {
		return err
	}
	keep(c.Within(func() error { return nil }))
	o := normalize{in: uint64(p), out: uint64(p) + 1024, width: 32, height: 32}
	keep(c.ToDevice(p, from, s))
	keep(c.Launch(fn, cuda.Grid{Width: 1, Height: 1, Threads: 32}, s, unsafe.Pointer(&o), unsafe.Sizeof(o)))
	keep(c.Record(e, s))
	keep(c.Follow(s, e))
	keep(c.ToHost(to, p, s))
	_, reached := c.Reached(e)
	keep(reached)
	keep(c.Wait(e))
	keep(c.Finish(s))
	return err
}

func TestKernels(t *testing.T) {
	c := open(t, fake.New(t, fake.Settings{}))
	_, err := c.LoadModule("no PTX")
	require.ErrorIs(t, err, cuda.Code(218))
	require.ErrorContains(t, err, "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed: ptxas "+
		"fatal   : this is no PTX")
	m, err := c.LoadModule(kernels(t))
	require.NoError(t, err)
	_, err = c.Function(m, "normalize")
	require.ErrorIs(t, err, cuda.Code(500))
	fn, err := c.Function(m, "normalize_1_0")
	require.NoError(t, err)

	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Alloc(8192)
	require.NoError(t, err)
	from, to := host(t, 256), host(t, 1024)
	for i := range from {
		from[i] = byte(i)
	}
	o := normalize{in: uint64(p), out: uint64(p) + 256, width: 256, height: 1, std: [4]float32{1}}
	require.NoError(t, c.ToDevice(p, from, s))
	for _, g := range []cuda.Grid{{0, 1, 256}, {1, 0, 256}, {1, 1, 0}, {1, 65536, 256}, {1 << 31, 1, 256}, {1, 1, 2048}} {
		require.ErrorIs(t, c.Launch(fn, g, s, unsafe.Pointer(&o), unsafe.Sizeof(o)), cuda.Code(1), "%v", g)
	}
	require.NoError(t, c.Launch(fn, cuda.Grid{Width: 1, Height: 1, Threads: 256}, s, unsafe.Pointer(&o), unsafe.Sizeof(o)))
	require.NoError(t, c.ToHost(to, p+256, s))
	require.NoError(t, c.Finish(s))
	for i := range from {
		require.Equal(t, float32(i)/255, math.Float32frombits(binary.NativeEndian.Uint32(to[4*i:])), i)
	}
	require.NoError(t, c.Free(p))
	require.NoError(t, c.CloseStream(s))
	require.NoError(t, c.CloseModule(m))
}

func kernels(t testing.TB) string {
	t.Helper()
	ptx, err := os.ReadFile("kernels/normalize.ptx")
	require.NoError(t, err)
	return string(ptx)
}

// If any call fails, the error names it and no resources are leaked.
func TestEveryCallCanFail(t *testing.T) {
	f := fake.New(t, fake.Settings{})
	from, to, ptx := host(t, 4096), host(t, 4096), kernels(t)
	require.NoError(t, use(f, ptx, from, to))
	calls := int(f.Counters().Calls)
	require.Greater(t, calls, 40)
	for _, lost := range []bool{false, true} {
		for n := 1; n <= calls; n++ {
			f.Reset(t, fake.Settings{FailCall: n, Lost: lost})
			err := use(f, ptx, from, to)
			c := f.Counters()
			require.Error(t, err, "call %d, %s", n, c.FailedCall)
			require.ErrorIs(t, err, cuda.Code(700))
			require.ErrorIs(t, err, spool.ErrDevice)
			require.ErrorContains(t, err, c.FailedCall+": CUDA_ERROR_ILLEGAL_ADDRESS")
			require.Zero(t, c.InUse(), "call %d, %s: %+v", n, c.FailedCall, c)
			require.Zero(t, c.Violations, "call %d, %s: %s", n, c.FailedCall, c.Violation)
			require.Zero(t, cuda.InUse(), "call %d, %s", n, c.FailedCall)
		}
	}
}

// An error of a queued operation is returned by a later call.
func TestOperationsFailLater(t *testing.T) {
	f := fake.New(t, fake.Settings{FailOp: 1})
	from, to := host(t, 4096), host(t, 4096)
	err := use(f, kernels(t), from, to)
	require.ErrorIs(t, err, cuda.Code(700))
}
