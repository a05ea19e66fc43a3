package kernels_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// realDevice selects the machine's first device for tests.
var realDevice = os.Getenv("SPOOL_TEST_CUDA") == "real"

// device is a context with the loaded kernels.
type device struct {
	*cuda.Context
	*kernels.Kernels
	stream cuda.Stream
}

func newDevice(t testing.TB) *device {
	t.Helper()
	file := ""
	if !realDevice {
		file = fake.New(t, fake.Settings{}).File
	}
	driver, err := cuda.Load(file)
	require.NoError(t, err)
	d := &device{}
	d.Context, err = driver.Open(0)
	require.NoError(t, err)
	d.stream, err = d.NewStream()
	require.NoError(t, err)
	d.Kernels, err = kernels.Load(d.Context)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, d.Kernels.Close())
		assert.NoError(t, d.Kernels.Close())
		assert.NoError(t, d.CloseStream(d.stream))
		assert.NoError(t, d.Context.Close())
	})
	return d
}

// run copies bytes to the device, runs a kernel with n bytes of output, and returns the output. Input and output begin
// at offsets inAt and outAt of their memory.
func (d *device) run(t testing.TB, in []byte, n, inAt, outAt int, kernel func(in, out cuda.Pointer) error) []byte {
	t.Helper()
	from, err := d.Alloc(len(in) + inAt)
	require.NoError(t, err)
	to, err := d.Alloc(n + outAt)
	require.NoError(t, err)
	host, err := spool.Mmap{}.Alloc(max(len(in), n))
	require.NoError(t, err)
	defer func() {
		require.NoError(t, d.Free(from))
		require.NoError(t, d.Free(to))
		require.NoError(t, spool.Mmap{}.Free(host))
	}()
	copy(host, in)
	require.NoError(t, d.ToDevice(from+cuda.Pointer(inAt), host[:len(in)], d.stream))
	require.NoError(t, d.Finish(d.stream))
	require.NoError(t, kernel(from+cuda.Pointer(inAt), to+cuda.Pointer(outAt)))
	require.NoError(t, d.ToHost(host[:n], to+cuda.Pointer(outAt), d.stream))
	require.NoError(t, d.Finish(d.stream))
	return append([]byte(nil), host[:n]...)
}
