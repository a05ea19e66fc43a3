package transfer_test

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/transfer"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "CUDA handles and bytes", Now: handles},
		leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "forgotten pools", Now: spool.ForgottenPools})
}

func handles() int64 {
	u := cuda.InUse()
	return u.Contexts + u.Blocks + u.Registered + u.Streams + u.Events + u.Modules
}

// awaitNoHandles waits until what earlier tests have forgotten is freed, for tests that expect no handle after each of
// their rounds.
func awaitNoHandles(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { runtime.GC(); return handles() == 0 }, time.Minute, time.Millisecond)
}

// realDevice runs the tests that do not need the simulated driver on the machine's first device.
var realDevice = os.Getenv("SPOOL_TEST_CUDA") == "real"

// rig is a device with pinned memory, a copier, and a consumer's own context.
type rig struct {
	fake   *fake.Driver // nil for a real device
	device *transfer.Device
	memory *transfer.PinnedMemory
	pool   *spool.Pool
	copier *transfer.Copier
	theirs *cuda.Context
}

func newRig(t testing.TB, o transfer.CopierOptions, s fake.Settings) *rig {
	t.Helper()
	r, file := &rig{}, ""
	if !realDevice {
		r.fake = fake.New(t, s)
		file = r.fake.File
	}
	var err error
	r.device, err = transfer.Open("cuda:0", transfer.DeviceOptions{Driver: file})
	require.NoError(t, err)
	r.memory = transfer.NewPinnedMemory(r.device)
	r.pool, err = spool.NewPool(spool.PoolOptions{Allocator: r.memory})
	require.NoError(t, err)
	r.copier, err = transfer.NewCopier(r.device, o)
	require.NoError(t, err)
	driver, err := cuda.Load(file)
	require.NoError(t, err)
	r.theirs, err = driver.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() {
		if r.fake != nil {
			r.fake.Go()
		}
		_ = r.copier.Close() // tests that check the error have closed it already
		assert.NoError(t, r.pool.Close())
		_ = r.theirs.Close() // a lost device reports an error here, and is closed
		assert.NotErrorIs(t, r.device.Close(), spool.ErrLeaked)
	})
	return r
}

// needsFake skips a test that inspects the simulated driver or makes it fail.
func needsFake(t testing.TB) {
	t.Helper()
	if realDevice {
		t.Skip("needs the fake driver")
	}
}

// withTimeout returns a context for events that must happen.
func withTimeout(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// content returns the content of batch number i.
func content(i, n int) []byte {
	return bytes.Repeat([]byte{byte(i), byte(i >> 8), byte(n), 42}, n/4+1)[:n]
}

// decoded makes batch number i, of n bytes.
func decoded(ctx context.Context, pool *spool.Pool, i, n int) (*batch.Batch, error) {
	return decodedAs(ctx, pool, i, spool.Desc{Shape: spool.Shape{n}})
}

// decodedAs makes batch number i, of one sample with the given Desc.
func decodedAs(ctx context.Context, pool *spool.Pool, i int, d spool.Desc) (*batch.Batch, error) {
	n, _ := d.Bytes()
	buffer, err := pool.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	copy(buffer.Bytes(), content(i, n))
	buffer.SetDesc(d)
	return batch.FromBuffer(buffer, batch.Sample{ID: int64(i), Label: -1}, 0, i), nil
}

// copyBatch makes and copies batch i.
func (r *rig) copyBatch(t testing.TB, i, n int) *transfer.Batch {
	t.Helper()
	b, err := decoded(withTimeout(t), r.pool, i, n)
	require.NoError(t, err)
	on, err := r.copier.Copy(withTimeout(t), b)
	require.NoError(t, err)
	return on
}

// check fetches a batch and compares its content.
func (r *rig) check(t testing.TB, b *transfer.Batch, i, n int) {
	t.Helper()
	got, err := b.Fetch(withTimeout(t), 0, r.pool)
	require.NoError(t, err)
	defer got.Release()
	assert.Equal(t, "uint8 flat ["+spool.Shape{1, n}.String()[1:], got.Desc().String())
	assert.True(t, bytes.Equal(content(i, n), got.Bytes()), "batch %d", i)
}
