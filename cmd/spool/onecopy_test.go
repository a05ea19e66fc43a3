package main

import (
	"bytes"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/transfer"
)

// blocks is an allocator that remembers its blocks.
type blocks struct {
	spool.Allocator
	mu    sync.Mutex
	given [][]byte
}

func (b *blocks) Alloc(n int) ([]byte, error) {
	memory, err := b.Allocator.Alloc(n)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.given = append(b.given, memory)
	return memory, err
}

// has reports whether memory is in a block.
func (b *blocks) has(memory []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, n := uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory))
	for _, block := range b.given {
		if begin := uintptr(unsafe.Pointer(unsafe.SliceData(block))); at >= begin && at+n <= begin+uintptr(len(block)) {
			return true
		}
	}
	return false
}

// Pixels are copied once between decoder and device. Decoders write into registered memory, and the device copies each
// batch from there, by itself, in one piece.
func TestPixelsMoveOnce(t *testing.T) {
	f := fake.New(t, fake.Settings{})
	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: f.File})
	require.NoError(t, err)
	memory := &blocks{Allocator: transfer.NewPinnedMemory(device)}
	results, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	src, err := source.Folder(t.Context(), clitest.Media+"/photos", source.Options{})
	require.NoError(t, err)
	load := func(o loader.Options) *loader.Loader {
		ld, err := loader.Images(src, loader.ImageOptions{Options: o,
			Spec: image.Spec{Resize: resize.Spec{Width: 64, Height: 48}}})
		require.NoError(t, err)
		return ld
	}
	plain := load(loader.Options{Batch: 8})
	var want [][]byte
	pixels := 0
	for b, err := range plain.Batches(t.Context()) {
		require.NoError(t, err)
		want = append(want, bytes.Clone(b.Bytes()))
		pixels += len(b.Samples) * 64 * 48 * 3
		b.Release()
	}
	require.NoError(t, plain.Close())

	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
	require.NoError(t, err)
	ld := load(loader.Options{Batch: 8, Allocator: memory})
	var batches []*transfer.Batch
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		assert.True(t, memory.has(b.Bytes()))
		on, err := copier.Copy(t.Context(), b)
		require.NoError(t, err)
		require.NoError(t, on.Wait(t.Context()))
		if batches = append(batches, on); len(batches) == 1 {
			continue // held until the end
		}
		on.Release()
	}
	c := f.Counters()
	assert.EqualValues(t, len(want), c.ToDeviceCopies)
	assert.EqualValues(t, pixels, c.ToDeviceBytes)
	assert.Zero(t, c.PageableBytes)
	assert.Zero(t, c.ToHostBytes)

	got, err := batches[0].Fetch(t.Context(), 0, results)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want[0], got.Bytes()))
	got.Release()
	batches[0].Release()
	require.NoError(t, copier.Close())
	require.NoError(t, ld.Close())
	require.NoError(t, results.Close())
	require.NoError(t, device.Close())
}
