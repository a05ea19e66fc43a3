package fake_test

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const n = 1 << 12

// rig has a device with two streams, memory on both sides and an event.
type rig struct {
	*cuda.Context
	fake       *fake.Driver
	one, other cuda.Stream
	event      cuda.Event
	device     cuda.Pointer
	host       []byte
	modules    []cuda.Module
}

func newRig(t testing.TB, f *fake.Driver) *rig {
	t.Helper()
	d, err := cuda.Load(f.File)
	require.NoError(t, err)
	r := &rig{fake: f}
	r.Context, err = d.Open(0)
	require.NoError(t, err)
	r.one, err = r.NewStream()
	require.NoError(t, err)
	r.other, err = r.NewStream()
	require.NoError(t, err)
	r.event, err = r.NewEvent()
	require.NoError(t, err)
	r.device, err = r.Alloc(n)
	require.NoError(t, err)
	r.host, err = spool.Mmap{}.Alloc(n)
	require.NoError(t, err)
	require.NoError(t, r.Register(r.host))
	return r
}

func (r *rig) close(t testing.TB) {
	t.Helper()
	r.fake.Go()
	assert.NoError(t, r.Finish(r.one))
	assert.NoError(t, r.Finish(r.other))
	assert.NoError(t, r.CloseStream(r.one))
	assert.NoError(t, r.CloseStream(r.other))
	assert.NoError(t, r.CloseEvent(r.event))
	for _, m := range r.modules {
		assert.NoError(t, r.CloseModule(m))
	}
	assert.NoError(t, r.Free(r.device))
	assert.NoError(t, r.Unregister(r.host))
	assert.NoError(t, spool.Mmap{}.Free(r.host))
	assert.NoError(t, r.Close())
}

func (r *rig) load(t testing.TB) (cuda.Module, cuda.Function) {
	t.Helper()
	ptx, err := os.ReadFile("../kernels/normalize.ptx")
	require.NoError(t, err)
	m, err := r.LoadModule(string(ptx))
	require.NoError(t, err)
	k, err := r.Function(m, "normalize_1_2")
	require.NoError(t, err)
	return m, k
}

// kernel loads a kernel and unloads it at the test's end.
func (r *rig) kernel(t testing.TB) cuda.Function {
	t.Helper()
	m, k := r.load(t)
	r.modules = append(r.modules, m)
	return k
}

// launch queues the kernel, which reads 64 bytes and writes 128.
func (r *rig) launch(k cuda.Function, in, out cuda.Pointer, s cuda.Stream) error {
	parameters := struct {
		in, out                    uint64
		width, height, wide, exact uint32
		mean, std, inverse         [4]float32
		flips                      [256]uint32
	}{in: uint64(in), out: uint64(out), width: 8, height: 8}
	return r.Launch(k, cuda.Grid{Width: 1, Height: 1, Threads: 32}, s, unsafe.Pointer(&parameters),
		unsafe.Sizeof(parameters))
}

// Typical errors of programs with their violations, and the same programs without the error.
func TestViolations(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong string // the violation; empty for a correct program
		do    func(t *testing.T, r *rig)
	}{
		{"a host that waits for the event", "", func(t *testing.T, r *rig) {
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.Record(r.event, r.one))
			require.NoError(t, r.Wait(r.event))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a host that waits for the stream", "", func(t *testing.T, r *rig) {
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.Finish(r.one))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a stream that waits for the event", "", func(t *testing.T, r *rig) {
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.Record(r.event, r.one))
			require.NoError(t, r.Follow(r.other, r.event))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a stream that does not wait", "not ordered behind a copy to the device", func(t *testing.T, r *rig) {
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a stream that waits for an event of before", "not ordered", func(t *testing.T, r *rig) {
			require.NoError(t, r.Record(r.event, r.one))
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.Follow(r.other, r.event))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"device memory that is used anew too early", "not ordered behind a copy from the device",
			func(t *testing.T, r *rig) {
				require.NoError(t, r.ToHost(r.host[:n/2], r.device, r.one))
				require.NoError(t, r.ToDevice(r.device, r.host[n/2:], r.other))
			}},
		{"host memory that changes under a copy", "host memory changed while a copy read it", func(t *testing.T, r *rig) {
			r.fake.Hold(0)
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			r.host[n-1]++
			r.fake.Go()
			require.NoError(t, r.Finish(r.one))
		}},
		{"host memory that is unregistered too early", "unregistered while it may be in use", func(t *testing.T, r *rig) {
			r.fake.Hold(0)
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.Unregister(r.host))
			require.NoError(t, r.Register(r.host))
		}},
		{"device memory that is freed too early", "freed while it may be in use", func(t *testing.T, r *rig) {
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.Error(t, r.Free(r.device))
		}},
		{"device memory that is freed twice", "freed that is not allocated", func(t *testing.T, r *rig) {
			p, err := r.Alloc(n)
			require.NoError(t, err)
			require.NoError(t, r.Free(p))
			require.Error(t, r.Free(p))
		}},
		{"device memory that was freed", "outside allocated device memory", func(t *testing.T, r *rig) {
			p, err := r.Alloc(n)
			require.NoError(t, err)
			require.NoError(t, r.Free(p))
			require.Error(t, r.ToDevice(p, r.host, r.one))
		}},
		{"a copy beyond the end", "outside allocated device memory", func(t *testing.T, r *rig) {
			require.Error(t, r.ToDevice(r.device+1, r.host, r.one))
		}},
		{"a kernel behind what it reads, before what reads it", "", func(t *testing.T, r *rig) {
			k := r.kernel(t)
			require.NoError(t, r.ToDevice(r.device, r.host, r.one))
			require.NoError(t, r.launch(k, r.device, r.device+n/4, r.one))
			require.NoError(t, r.Record(r.event, r.one))
			require.NoError(t, r.Follow(r.other, r.event))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a kernel that does not wait for what it reads", "normalize_1_2, stream", func(t *testing.T, r *rig) {
			k := r.kernel(t)
			require.NoError(t, r.ToDevice(r.device, r.host[:16], r.one))
			require.NoError(t, r.launch(k, r.device, r.device+n/4, r.other))
		}},
		{"a copy that does not wait for a kernel", "is not ordered behind normalize_1_2", func(t *testing.T, r *rig) {
			k := r.kernel(t)
			require.NoError(t, r.launch(k, r.device, r.device+n/4, r.one))
			require.NoError(t, r.ToHost(r.host, r.device, r.other))
		}},
		{"a kernel beyond the end", "normalize_1_2 accesses bytes outside allocated device memory",
			func(t *testing.T, r *rig) {
				require.Error(t, r.launch(r.kernel(t), r.device, r.device+n-16, r.one))
			}},
		{"kernels that are unloaded too early", "unloaded while one of its kernels may run", func(t *testing.T, r *rig) {
			m, k := r.load(t)
			r.fake.Hold(0)
			require.NoError(t, r.launch(k, r.device, r.device+n/4, r.one))
			require.NoError(t, r.CloseModule(m))
		}},
		{"kernels that were unloaded", "a kernel is launched that does not exist", func(t *testing.T, r *rig) {
			m, k := r.load(t)
			require.NoError(t, r.CloseModule(m))
			require.Error(t, r.launch(k, r.device, r.device+n/4, r.one))
		}},
		{"a stream that was closed", "a stream is used that does not exist", func(t *testing.T, r *rig) {
			s, err := r.NewStream()
			require.NoError(t, err)
			require.NoError(t, r.CloseStream(s))
			require.Error(t, r.Finish(s))
		}},
		{"an event that was closed", "an event is used that does not exist", func(t *testing.T, r *rig) {
			e, err := r.NewEvent()
			require.NoError(t, err)
			require.NoError(t, r.CloseEvent(e))
			require.Error(t, r.Record(e, r.one))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fake.Start(t, fake.Settings{DelayMicros: 200, Seed: 1})
			r := newRig(t, f)
			c.do(t, r)
			r.close(t)
			got := f.Counters()
			if c.wrong == "" {
				assert.Zero(t, got.Violations, got.Violation)
			} else {
				assert.Positive(t, got.Violations)
				assert.Contains(t, got.Violation, c.wrong)
			}
			assert.Zero(t, got.InUse(), "%+v", got)
		})
	}
}

// A read before the copy is done does not find the copied bytes.
func TestEarlyReadersSee(t *testing.T) {
	f := fake.New(t, fake.Settings{})
	r := newRig(t, f)
	defer r.close(t)
	clear(r.host)
	require.NoError(t, r.ToDevice(r.device, r.host, r.one))
	require.NoError(t, r.Finish(r.one))
	f.Hold(uintptr(r.one))
	require.NoError(t, r.ToHost(r.host, r.device, r.one))
	assert.Equal(t, byte(0xDB), r.host[0])
	f.Go()
	require.NoError(t, r.Finish(r.one))
	assert.Equal(t, byte(0), r.host[0])
}

func TestMemoryThatIsNotRegistered(t *testing.T) {
	f := fake.New(t, fake.Settings{})
	r := newRig(t, f)
	defer r.close(t)
	plain, err := spool.Mmap{}.Alloc(n)
	require.NoError(t, err)
	defer func() { require.NoError(t, spool.Mmap{}.Free(plain)) }()
	plain[0] = 42
	f.Hold(0)
	require.NoError(t, r.ToDevice(r.device, plain, r.one))
	plain[0] = 0 // the driver has copied it
	f.Go()
	require.NoError(t, r.ToHost(plain, r.device, r.one)) // waits for the copy
	assert.Equal(t, byte(42), plain[0])
	assert.EqualValues(t, 2*n, f.Counters().PageableBytes)
}

// A program loads the simulated driver like the real one.
func Example() {
	folder, err := os.MkdirTemp("", "fake")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	f, err := fake.Load(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := cuda.Load(f.File)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Version(), d.Devices())
	fmt.Println(f.Counters().Calls)
	// Output:
	// 12.4 1
	// 3
}
