//go:build cuda

package gorgonia_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/cu"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/transfer"
	"github.com/spoolmedia/spool/transfer/gorgonia"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// A program with cu reads batches in its own stream, and releases them before the reads are complete.
func TestBatchesInACuProgram(t *testing.T) {
	var driver *fake.Driver
	if os.Getenv("SPOOL_TEST_CUDA") != "real" {
		var err error
		driver, err = fake.Open("libcuda.so.1") // the file that cu was linked with
		require.NoError(t, err)
		driver.Reset(t, fake.Settings{DelayMicros: 300})
	}
	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
	require.NoError(t, err)
	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(device)})
	require.NoError(t, err)
	copier, err := transfer.NewCopier(device, transfer.CopierOptions{Slabs: 2})
	require.NoError(t, err)
	ctx, err := gorgonia.NewContext(device)
	require.NoError(t, err)
	require.NoError(t, ctx.Run(nil))
	stream, err := ctx.MakeStream(cu.DefaultStream)
	require.NoError(t, err)

	const batches, n = 20, 4096
	var read []*spool.Buffer
	for i := range batches {
		buffer, err := pool.Get(t.Context(), n)
		require.NoError(t, err)
		copy(buffer.Bytes(), bytes.Repeat([]byte{byte(i)}, n))
		b, err := copier.Copy(context.Background(), batch.FromBuffer(buffer, batch.Sample{}, 0, i))
		require.NoError(t, err)
		into, err := pool.Get(t.Context(), n)
		require.NoError(t, err)
		read = append(read, into)
		require.NoError(t, b.WaitOn(gorgonia.Stream(stream)))
		ctx.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(into.Bytes())), gorgonia.Pointer(b.Arrays()[0]), n, stream)
		require.NoError(t, ctx.Error())
		b.Release()
	}
	ctx.SynchronizeStream(stream)
	require.NoError(t, ctx.Error())
	for i, into := range read {
		assert.Equal(t, bytes.Repeat([]byte{byte(i)}, n), into.Bytes())
		into.Release()
	}
	ctx.DestroyStream(&stream)
	require.NoError(t, ctx.Error())
	require.NoError(t, copier.Close())
	require.NoError(t, pool.Close())
	require.NoError(t, ctx.Close())
	require.NoError(t, ctx.Close())
	require.NoError(t, device.Close())
	if driver != nil {
		driver.Check(t)
	}
}

func TestDeviceOfAnotherKind(t *testing.T) {
	host, err := transfer.Open("host", transfer.DeviceOptions{})
	require.NoError(t, err)
	_, err = gorgonia.NewContext(host)
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.Zero(t, gorgonia.Pointer(transfer.Array{}))
}
