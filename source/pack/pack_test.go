package pack_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc64"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// photos makes a folder of two classes, and returns its path and its listing.
func photos(t *testing.T, n, most int) (string, *source.Listing) {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		name := fmt.Sprintf("%s/%s/%04d.JPG", folder, []string{"cat", "dog"}[i%2], i)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		data := make([]byte, random.IntN(most))
		for k := range data {
			data[k] = byte(random.Uint32())
		}
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	l, err := source.Open(context.Background(), []string{folder}, source.Options{})
	require.NoError(t, err)
	return folder, l
}

// contents returns the bytes of the files of a folder, by their names.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(data)
	}
	return all
}

func bytesOf(t *testing.T, src source.Source, i int) string {
	t.Helper()
	o, err := src.Open(context.Background(), i)
	require.NoError(t, err)
	defer o.Close()
	data, err := spool.ReadAll(context.Background(), o, nil, 1<<30)
	require.NoError(t, err)
	return string(data)
}

// The shards have the samples of the source with their labels, in order, and the same bytes for any number of workers.
func TestWrite(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 50, short.Of(3<<20/2, 1<<18))
	for _, shuffle := range []bool{false, true} {
		var first map[string]string
		var folder string
		for _, workers := range []int{1, 3, 0} {
			folder = filepath.Join(t.TempDir(), "packed")
			m, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 8, Shuffle: shuffle, Seed: 5, Workers: workers})
			require.NoError(t, err)
			require.Len(t, m.Shards, 7)
			assert.Equal(t, 2, m.Shards[6].Samples)
			got := contents(t, folder)
			if first == nil {
				first = got
			}
			assert.True(t, maps.Equal(first, got))
		}
		m, err := pack.Verify(ctx, folder, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"cat", "dog"}, m.Classes)

		packed, err := source.Open(ctx, []string{folder + "/{000000..000006}.tar"}, source.Options{})
		require.NoError(t, err)
		require.Equal(t, src.Len(), packed.Len())
		var by order.Sampler = order.Sequential(src.Len())
		if shuffle {
			by = order.NewPermutation(src.Len(), 5, 0)
		}
		for i := range packed.Len() {
			assert.Equal(t, src.Item(by.At(i)).Label, packed.Item(i).Label)
			assert.Equal(t, fmt.Sprintf("%09d", i), packed.Item(i).Key)
			assert.Equal(t, ".jpg", filepath.Ext(packed.Item(i).Name))
			assert.Equal(t, bytesOf(t, src, by.At(i)), bytesOf(t, packed, i))
		}
	}
}

// Samples of a label are side by side. Within a label they have the order of a pack without clusters.
func TestClusters(t *testing.T) {
	ctx := context.Background()
	_, sorted := photos(t, 30, 1000)
	mixed := make([]int, sorted.Len())
	for i := range mixed {
		mixed[i] = order.NewPermutation(sorted.Len(), 1, 0).At(i)
	}
	src := pack.Subset(sorted, mixed)
	for _, shuffle := range []bool{false, true} {
		folder := t.TempDir()
		_, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 8, Shuffle: shuffle, Seed: 5, Cluster: true})
		require.NoError(t, err)
		packed, err := source.Open(ctx, []string{folder + "/{000000..000003}.tar"}, source.Options{})
		require.NoError(t, err)
		var by order.Sampler = order.Sequential(src.Len())
		if shuffle {
			by = order.NewPermutation(src.Len(), 5, 0)
		}
		at := 0
		for _, label := range []int64{0, 1} {
			for i := range by.Len() {
				if src.Item(by.At(i)).Label == label {
					assert.Equal(t, label, packed.Item(at).Label)
					assert.Equal(t, bytesOf(t, src, by.At(i)), bytesOf(t, packed, at))
					at++
				}
			}
		}
		assert.Equal(t, packed.Len(), at)
	}
}

// Finished shards are kept: their files are the same.
func TestContinued(t *testing.T) {
	ctx := context.Background()
	from, src := photos(t, 20, 1000)
	folder := t.TempDir()
	last := from + "/dog/0019.JPG" // of the last shard
	require.NoError(t, os.Rename(last, last+"x"))
	_, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 6, Workers: 1})
	require.ErrorIs(t, err, spool.ErrNotFound)
	assert.ErrorContains(t, err, last)
	before, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	assert.NoFileExists(t, folder+"/000003.tar")
	assert.NoFileExists(t, folder+"/000003.tar.part")
	_, err = pack.Verify(ctx, folder, nil)
	assert.ErrorIs(t, err, spool.ErrNotFound, "there is no manifest yet")

	require.NoError(t, os.Rename(last+"x", last))
	m, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 6, Workers: 1})
	require.NoError(t, err)
	after, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	again, err := pack.Verify(ctx, folder, nil)
	require.NoError(t, err)
	assert.Equal(t, m, again)
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 4, 1000)
	for _, o := range []pack.Options{{PerShard: -1}, {Workers: -1}, {Checksum: "md5"}} {
		_, err := pack.Write(ctx, src, t.TempDir(), o)
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(folder+"/other.txt", nil, 0o600))
	_, err := pack.Write(ctx, src, folder, pack.Options{})
	assert.ErrorIs(t, err, spool.ErrOptions)
	folder = t.TempDir()
	_, err = pack.Write(ctx, src, folder, pack.Options{PerShard: 2})
	require.NoError(t, err)
	for _, o := range []pack.Options{{PerShard: 3}, {PerShard: 2, Checksum: pack.SHA256}} {
		_, err = pack.Write(ctx, src, folder, o)
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = pack.Write(stopped, src, t.TempDir(), pack.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// The manifest has the checksum that was asked for, and damage is found by it: when shards are verified, and when their
// packing is continued.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 9, 1000)
	for _, kind := range []pack.Checksum{"", pack.CRC64NVME, pack.SHA256} {
		folder := t.TempDir()
		o := pack.Options{PerShard: 3, Checksum: kind}
		m, err := pack.Write(ctx, src, folder, o)
		require.NoError(t, err)
		data, err := os.ReadFile(folder + "/000001.tar")
		require.NoError(t, err)
		if kind == pack.SHA256 {
			assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256(data)), m.Shards[1].SHA256)
			assert.Empty(t, m.Shards[1].CRC64NVME)
		} else {
			polynomial := crc64.MakeTable(0x9a6c9329ac4bc9b5)
			assert.Equal(t, fmt.Sprintf("%016x", crc64.Checksum(data, polynomial)), m.Shards[1].CRC64NVME)
			assert.Empty(t, m.Shards[1].SHA256)
		}
		again, err := pack.Write(ctx, src, folder, o)
		require.NoError(t, err)
		assert.Equal(t, m, again)
		data[600]++
		require.NoError(t, os.WriteFile(folder+"/000001.tar", data, 0o600))
		_, err = pack.Write(ctx, src, folder, o)
		require.ErrorIs(t, err, spool.ErrCorrupt, "the manifest stays as it was")
		require.NoError(t, os.Truncate(folder+"/000000.tar", 512))
		require.NoError(t, os.Remove(folder+"/000002.tar"))
		_, err = pack.Verify(ctx, folder, nil)
		for _, class := range []error{spool.ErrCorrupt, spool.ErrTruncated, spool.ErrNotFound} {
			assert.ErrorIs(t, err, class)
		}
		for _, shard := range []string{`{"name":"../x","sha256":"00"}`, `{"name":"x"}`} {
			require.NoError(t, os.WriteFile(folder+"/manifest.json", []byte(`{"shards":[`+shard+`]}`), 0o600))
			_, err = pack.Verify(ctx, folder, nil)
			assert.ErrorIs(t, err, spool.ErrCorrupt)
		}
	}
}

// Tar files have the bytes that archive/tar gives them, whatever part of them fits in memory at a time.
func TestTarBytes(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 12, 3<<20)
	folder := t.TempDir()
	_, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 12})
	require.NoError(t, err)
	var want bytes.Buffer
	w := tar.NewWriter(&want)
	add := func(name, data string) {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}))
		_, err := w.Write([]byte(data))
		require.NoError(t, err)
	}
	for i := range src.Len() {
		add(fmt.Sprintf("%09d.jpg", i), bytesOf(t, src, i))
		add(fmt.Sprintf("%09d.cls", i), fmt.Sprint(src.Item(i).Label))
	}
	require.NoError(t, w.Close())
	got, err := os.ReadFile(folder + "/000000.tar")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want.Bytes(), got))
}
