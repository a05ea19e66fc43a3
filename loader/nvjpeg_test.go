package loader_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	nvjpegfake "github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/transfer"
)

// Batches that nvJPEG decodes pass through the ring like others: each is in a slab, in order, and returned by the
// consumer. Only samples decoded on the host are copied there.
func TestNvJPEGFillsTheRing(t *testing.T) {
	driver := fake.New(t, fake.Settings{DelayMicros: 200})
	library := nvjpegfake.New(t, driver, nvjpegfake.Settings{Hardware: true})
	decoder, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer decoder.Close()
	gpu, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: driver.File})
	require.NoError(t, err)
	defer gpu.Close()
	pool, err := spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(gpu)})
	require.NoError(t, err)
	defer pool.Close()
	copier, err := transfer.NewCopier(gpu, transfer.CopierOptions{Slabs: 2})
	require.NoError(t, err)
	defer copier.Close()
	n, err := device.New(decoder.Images, device.Options{Driver: driver.File, Library: library.File, Staging: pool})
	require.NoError(t, err)
	defer func() { assert.NoError(t, n.Close()) }()

	files, err := filepath.Glob("../testdata/hard/good/*.jpg")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	host := int64(0)
	for from := 0; from < len(files); from += 6 {
		names := files[from:min(from+6, len(files))]
		var images [][]byte
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			images = append(images, data)
		}
		b, err := n.Plan(t.Context(), images)
		require.NoError(t, err)
		var parts []transfer.ArrayAt
		for _, p := range b.Images {
			require.NoError(t, p.Err)
			parts = append(parts, transfer.ArrayAt{Offset: p.Offset, Desc: p.Desc})
		}
		on, err := copier.Fill(t.Context(), parts, b.Release, func(memory uint64, s spool.DeviceStream) error {
			return b.Decode(t.Context(), memory, s)
		})
		require.NoError(t, err)
		for i, name := range names {
			got, err := on.Fetch(t.Context(), i, pool)
			require.NoError(t, err)
			want, _, err := decoder.Images.Decode(t.Context(), spool.Bytes{Data: images[i]}, image.Spec{})
			require.NoError(t, err)
			assert.Equal(t, want.Desc(), got.Desc(), name)
			assert.Equal(t, want.Bytes(), got.Bytes(), name)
			if b.Images[i].Host != device.OnDevice {
				host += int64(got.Len())
			}
			want.Release()
			got.Release()
		}
		on.Release()
	}
	counters := driver.Counters()
	assert.Equal(t, host, counters.ToDeviceBytes)
	assert.Zero(t, counters.PageableBytes)
	assert.Positive(t, n.Counts().Device)
}
