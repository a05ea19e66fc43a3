package object_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// shardOf returns a tar file of n samples, each an image of that many bytes and a label.
func shardOf(t testing.TB, n, bytesEach int, first byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range n {
		content := bytes.Repeat([]byte{first + byte(i)}, bytesEach)
		for _, m := range []struct {
			name string
			data []byte
		}{{fmt.Sprintf("%06d.jpg", i), content}, {fmt.Sprintf("%06d.cls", i), []byte{'0' + byte(i%10)}}} {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.data)), Mode: 0o644}))
			_, err := w.Write(m.data)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func readItem(ctx context.Context, src source.Source, i int) ([]byte, error) {
	o, err := src.Open(ctx, i)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return spool.ReadAll(ctx, o, nil, 0)
}

// shardAt is a shard at a URL.
type shardAt struct {
	url             string
	packed, indexed bool
	store           *store
	client          *object.Client
	options         source.Options
}

// eachShard calls test with a tar file at a URL: with and without an index, compressed and not. The store has counted
// no requests then.
func eachShard(t *testing.T, plain []byte, test func(t *testing.T, x shardAt)) {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(plain)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for name, data := range map[string][]byte{"/a.tar": plain, "/a.tar.gz": packed.Bytes()} {
		for _, indexed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, indexed), func(t *testing.T) {
				x := shardAt{packed: name != "/a.tar", indexed: indexed, store: newStore(t)}
				x.store.put(name, data)
				x.url = x.store.URL + name
				x.client = newClient(t, object.Options{HedgeShare: -1}) // requests are counted
				x.options = source.Options{Remote: x.client}
				if indexed {
					path, err := source.SaveShardIndex(t.Context(), x.url, source.Options{Remote: x.client, Indexes: t.TempDir()})
					require.NoError(t, err)
					x.options.Indexes = filepath.Dir(path)
				}
				x.store.requests.Store(0)
				test(t, x)
			})
		}
	}
}

// A shard at a URL has the samples of a local one, with or without an index, compressed or not.
func TestShards(t *testing.T) {
	const each = 20_000
	eachShard(t, shardOf(t, 30, each, 1), func(t *testing.T, x shardAt) {
		src, err := source.Open(t.Context(), []string{x.url}, x.options)
		require.NoError(t, err)
		require.Equal(t, 30, src.Len())
		require.True(t, src.Remote())
		opening, before := x.store.requests.Load(), x.client.Stats().Bytes
		for i := range src.Len() {
			got, err := readItem(t.Context(), src, i)
			require.NoError(t, err)
			require.Equal(t, bytes.Repeat([]byte{1 + byte(i)}, each), got)
			require.Equal(t, int64(i%10), src.Item(i).Label)
		}
		reading := x.store.requests.Load() - opening
		t.Logf("%d requests to open, %d to read 30 samples", opening, reading)
		if !x.packed {
			assert.Equal(t, int64(30), reading, "one a sample")
			assert.Equal(t, int64(30*each), x.client.Stats().Bytes-before, "and nothing else")
		}
		if x.indexed {
			assert.Equal(t, int64(1), opening, "the shard is asked for its state")
		}
	})
}

// An index that was uploaded next to the shard is found; that of another state is ignored.
func TestShardIndexBesideIt(t *testing.T) {
	s := newStore(t)
	s.put("/a.tar", shardOf(t, 50, 20_000, 1))
	c := newClient(t, object.Options{HedgeShare: -1})
	path, err := source.SaveShardIndex(t.Context(), s.URL+"/a.tar", source.Options{Remote: c, Indexes: t.TempDir()})
	require.NoError(t, err)
	s.put("/a.tar.spoolidx", mustRead(t, path))
	count := func() (src *source.Listing, requests int64) {
		s.requests.Store(0)
		src, err := source.Shards(t.Context(), []string{s.URL + "/a.tar"}, source.Options{Remote: c})
		require.NoError(t, err)
		return src, s.requests.Load()
	}
	src, requests := count()
	assert.Equal(t, 50, src.Len())
	assert.LessOrEqual(t, requests, int64(3), "what the shard is, what the index is, and the index")

	s.put("/a.tar", shardOf(t, 50, 20_000, 7)) // of the same size
	_, err = readItem(t.Context(), src, 3)
	require.ErrorIs(t, err, spool.ErrIO)
	require.ErrorContains(t, err, "overwritten")
	src, _ = count()
	got, err := readItem(t.Context(), src, 3)
	require.NoError(t, err)
	assert.Equal(t, bytes.Repeat([]byte{10}, 20_000), got)

	_, err = source.SaveShardIndex(t.Context(), s.URL+"/a.tar", source.Options{Remote: c})
	require.ErrorIs(t, err, spool.ErrOptions, "nothing is written to stores")
	_, err = source.SaveShardIndex(t.Context(), s.URL+"/none.tar", source.Options{Remote: c, Indexes: t.TempDir()})
	require.ErrorIs(t, err, spool.ErrNotFound)
}

func TestBadShards(t *testing.T) {
	whole := shardOf(t, 30, 100_000, 1)
	s := newStore(t)
	s.put("/cut.tar", whole[:len(whole)/2])
	s.put("/none.tar", []byte("<html>no tar at all</html>"))
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := io.CopyN(z, zeros{}, 20<<20)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	s.put("/bomb.tar.gz", bomb.Bytes())
	c := newClient(t, object.Options{})

	src, err := source.Shards(t.Context(), []string{s.URL + "/cut.tar"}, source.Options{Remote: c})
	require.NoError(t, err)
	last := src.Len() - 1
	_, err = readItem(t.Context(), src, last)
	require.ErrorIs(t, err, spool.ErrTruncated)
	_, err = readItem(t.Context(), src, last-2)
	require.NoError(t, err, "what is whole is read")

	for name, class := range map[string]spool.Class{"/none.tar": spool.ErrTruncated, "/bomb.tar.gz": spool.ErrTooLarge} {
		src, err := source.Shards(t.Context(), []string{s.URL + name}, source.Options{Remote: c, Unpacked: 1 << 20})
		require.NoError(t, err)
		_, err = readItem(t.Context(), src, 0)
		assert.ErrorIs(t, err, class, name)
	}
	_, err = source.Shards(t.Context(), []string{s.URL + "/gone.tar"}, source.Options{Remote: c})
	require.ErrorIs(t, err, spool.ErrNotFound)

	ctx, stop := context.WithCancel(t.Context())
	s.spoiled(func(int64, http.ResponseWriter, *http.Request) bool { stop(); return false })
	_, err = source.Shards(ctx, []string{s.URL + "/cut.tar"}, source.Options{Remote: c})
	require.ErrorIs(t, err, spool.ErrCanceled)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A shard that is overwritten while its headers are read is an error, not a mixture.
func TestShardChangesWhileItIsLookedAt(t *testing.T) {
	s := newStore(t)
	s.put("/a.tar", shardOf(t, 200, 100_000, 1))
	other := shardOf(t, 200, 100_000, 9)
	c := newClient(t, object.Options{})
	s.spoiled(func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 4 {
			s.put("/a.tar", other)
		}
		return false
	})
	_, err := source.Shards(t.Context(), []string{s.URL + "/a.tar"}, source.Options{Remote: c})
	require.ErrorIs(t, err, spool.ErrIO)
	require.ErrorContains(t, err, "overwritten")
}

// BenchmarkShards measures how long it takes to open 100 shards of 1000 samples at a latency of 50 ms. It also measures
// how many samples a second 64 readers get of them at 100 ms, compared with separate objects.
func BenchmarkShards(b *testing.B) {
	const shards, samples, size = 100, 1000, 20_000
	data := shardOf(b, samples, size, 1)
	s := &store{files: map[string]file{}}
	server := httptest.NewServer(s)
	defer server.Close()
	s.URL = server.URL
	var latency time.Duration
	s.spoil = func(int64, http.ResponseWriter, *http.Request) bool {
		<-time.After(latency)
		return false
	}
	var names []string
	for i := range shards {
		s.put(fmt.Sprintf("/%03d.tar", i), data)
		names = append(names, fmt.Sprintf("%s/%03d.tar", s.URL, i))
	}
	folder := b.TempDir()
	c, err := object.New(object.Options{})
	require.NoError(b, err)
	defer c.Close()
	for _, name := range names {
		path, err := source.SaveShardIndex(b.Context(), name, source.Options{Remote: c, Indexes: folder})
		require.NoError(b, err)
		s.put(name[len(s.URL):]+".spoolidx", mustRead(b, path))
	}
	open := func(b *testing.B, o source.Options) (src *source.Listing) {
		latency = 50 * time.Millisecond
		for b.Loop() {
			c, err := object.New(object.Options{})
			require.NoError(b, err)
			o.Remote = c
			src, err = source.Shards(b.Context(), names, o)
			require.NoError(b, err)
			require.Equal(b, shards*samples, src.Len())
			b.ReportMetric(float64(c.Stats().Requests), "requests")
			b.ReportMetric(float64(c.Stats().Bytes)/1e6, "MB")
			require.NoError(b, c.Close())
		}
		return src
	}
	b.Run("open/indexes-beside", func(b *testing.B) { open(b, source.Options{}) })
	b.Run("open/indexes-in-folder", func(b *testing.B) { open(b, source.Options{Indexes: folder}) })
	b.Run("open/scanned", func(b *testing.B) { open(b, source.Options{Indexes: b.TempDir()}) })

	n := 20_000
	if testing.Short() {
		n /= 10
	}
	read := func(b *testing.B, src source.Source) {
		latency = 100 * time.Millisecond
		for b.Loop() {
			began := time.Now()
			var wg sync.WaitGroup
			next := make(chan int)
			for range 512 {
				wg.Go(func() {
					for i := range next {
						got, err := readItem(b.Context(), src, i)
						if err != nil || len(got) != size {
							b.Error(len(got), err)
						}
					}
				})
			}
			for i := range n {
				next <- i
			}
			close(next)
			wg.Wait()
			b.ReportMetric(float64(n)/time.Since(began).Seconds(), "samples/s")
		}
	}
	b.Run("read/shards", func(b *testing.B) {
		latency = 0
		src, err := source.Shards(b.Context(), names, source.Options{Remote: c, Indexes: folder})
		require.NoError(b, err)
		read(b, src)
	})
	b.Run("read/objects", func(b *testing.B) {
		var loose []string
		for i := range n {
			s.put(fmt.Sprintf("/%06d.jpg", i), data[:size])
			loose = append(loose, fmt.Sprintf("%s/%06d.jpg", s.URL, i))
		}
		src, err := source.Open(b.Context(), loose, source.Options{Remote: c})
		require.NoError(b, err)
		read(b, src)
	})
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}
