package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// store is a file server that counts its requests.
type store struct {
	*httptest.Server
	requests atomic.Int64

	mu    sync.Mutex
	files map[string][]byte
	etags map[string]string
}

func newStore(t testing.TB) *store {
	s := &store{files: map[string][]byte{}, etags: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		s.mu.Lock()
		b, ok := s.files[r.URL.Path]
		etag := s.etags[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // a network
		if etag != "" {
			w.Header().Set("Etag", etag)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *store) put(path, etag string, b []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path], s.etags[path] = b, etag
	return s.URL + path
}

// remote reads through a folder, as another process would.
func remote(t testing.TB, folder string) (*cache.Remote, *cache.Folder) {
	t.Helper()
	client, err := object.New(object.Options{RetryTime: time.Second, HedgeShare: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	f := open(t, folder, 0)
	return cache.NewRemote(client, f), f
}

func read(ctx context.Context, r source.Remote, e source.Entry, off int64, n int) ([]byte, error) {
	o, err := r.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if n < 0 {
		n = int(o.Info().Size)
	}
	p := make([]byte, n)
	n, err = o.ReadAt(ctx, p, off)
	return p[:n], err
}

func TestRemote(t *testing.T) {
	ctx, folder := t.Context(), t.TempDir()
	s := newStore(t)
	want := content(1, 300_000)
	e := source.Entry{URL: s.put("/a.jpg", `"1"`, want), Size: 300_000, Version: `"1"`}
	same := func(r source.Remote, off int64, n int, requests int64) {
		t.Helper()
		before := s.requests.Load()
		got, err := read(ctx, r, e, off, n)
		if n >= 0 && off+int64(n) > 300_000 {
			require.ErrorIs(t, err, io.EOF)
		} else {
			require.NoError(t, err)
		}
		end := int64(300_000)
		if n >= 0 {
			end = min(end, off+int64(n))
		}
		require.Equal(t, want[off:end], got)
		require.Equal(t, requests, s.requests.Load()-before)
	}
	r, _ := remote(t, folder)
	same(r, 1000, 70_000, 1) // a range
	same(r, 1000, 70_000, 0)
	same(r, 1000, 69_999, 1) // another range
	same(r, 0, -1, 1)        // the whole object
	again, f := remote(t, folder)
	same(again, 0, -1, 0)
	for _, part := range [][2]int{{0, 1}, {1, 65_535}, {65_535, 2}, {65_536, 65_536}, {65_000, 200_000}, {299_999, 1},
		{299_999, 50}, {262_144, 37_856}, {262_144, 99_999}, {1000, 70_000}} {
		same(again, int64(part[0]), part[1], 0)
	}
	assert.EqualValues(t, 11, f.Stats().Hits)
	assert.Zero(t, f.Stats().Misses)
	_, err := read(ctx, again, e, 300_000, 1)
	require.ErrorIs(t, err, io.EOF)
	assert.Zero(t, f.Stats().Misses, "nobody is asked at the end")

	// A damaged entry is read from the store again.
	for _, name := range files(t, folder) {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		b[len(b)-1] ^= 1
		require.NoError(t, os.WriteFile(name, b, 0o600))
	}
	same(again, 0, -1, 1)
	same(again, 0, -1, 0)

	// A new version is another object.
	want = content(2, 300_000)
	s.put("/a.jpg", `"2"`, want)
	e.Version = `"2"`
	same(again, 0, -1, 1)
	same(r, 0, -1, 0)
	// The old version is served to a listing that names it, and only to that.
	e.Version = `"1"`
	want = content(1, 300_000)
	same(again, 0, -1, 0)
}

// Small reads are made in blocks, others as they are.
func TestRemotePieces(t *testing.T) {
	ctx, folder := t.Context(), t.TempDir()
	s := newStore(t)
	want := content(1, 1_000_000)
	e := source.Entry{URL: s.put("/a.mp4", `"1"`, want), Size: 1_000_000, Version: `"1"`}
	r := seed.Rand(t)
	parts := make([][2]int64, 40) // offsets and lengths
	for i := range parts {
		off := r.Int64N(999_000)
		parts[i] = [2]int64{off, 1 + r.Int64N(min(40_000, 1_000_000-off)-1)}
	}
	starts := make([]int, 4)
	for i := range starts {
		starts[i] = r.IntN(100)
	}
	for pass := range 3 {
		remote, f := remote(t, folder)
		o, err := remote.Open(ctx, e)
		require.NoError(t, err)
		for _, part := range parts {
			p := make([]byte, part[1])
			_, err := o.(spool.RangeReader).ReadRange(ctx, p, part[0])
			require.NoError(t, err)
			require.Equal(t, want[part[0]:part[0]+part[1]], p)
		}
		p := make([]byte, 999)
		_, err = o.(spool.RangeReader).ReadRange(ctx, p, 500_001)
		require.NoError(t, err)
		require.Equal(t, want[500_001:501_000], p)
		require.Equal(t, e.Version, o.Info().Version)
		var readers sync.WaitGroup
		for _, start := range starts {
			readers.Go(func() {
				p := make([]byte, 5000)
				for off := start * 1000; off < 400_000; off += 3333 {
					n, err := o.ReadAt(ctx, p, int64(off))
					assert.NoError(t, err)
					assert.Equal(t, want[off:off+n], p[:n])
				}
			})
		}
		readers.Wait()
		require.NoError(t, o.Close())
		if pass > 0 {
			assert.Zero(t, f.Stats().Misses)
		}
		s.Close() // later passes read from the folder only
	}
}

// Blocks are prefetched for a sequential reader, which finds them in memory. They are stored as well.
func TestRemoteReadsAhead(t *testing.T) {
	const size, length = 3_000_000, 50_000
	folder := t.TempDir()
	s := newStore(t)
	want := content(1, size)
	e := source.Entry{URL: s.put("/a.tar", `"1"`, want), Size: size, Version: `"1"`}
	for pass := range 2 {
		remote, f := remote(t, folder)
		o, err := remote.Open(t.Context(), e)
		require.NoError(t, err)
		for off := int64(0); off < size; off += length {
			p := make([]byte, length)
			_, err := o.ReadAt(t.Context(), p, off)
			require.NoError(t, err)
			require.Equal(t, want[off:off+length], p)
		}
		require.NoError(t, o.Close())
		if pass == 0 {
			assert.EqualValues(t, 23, f.Stats().Kept, "each block of 128 KiB")
			s.Close() // the next pass reads from the folder only
		}
	}
}

// Objects without a version, or with a version that does not identify their bytes, are read from the store each time.
func TestRemoteWithoutVersion(t *testing.T) {
	s := newStore(t)
	r, f := remote(t, t.TempDir())
	for i, etag := range []string{"", `W/"1"`} {
		e := source.Entry{URL: s.put(fmt.Sprint("/", i), etag, content(1, 1000))}
		for number := range 3 {
			s.put(fmt.Sprint("/", i), etag, content(number, 1000))
			got, err := read(t.Context(), r, e, 0, -1)
			require.NoError(t, err)
			require.Equal(t, content(number, 1000), got)
		}
	}
	assert.Zero(t, f.Stats().Entries)
}

// The size of an object is requested once, and again when the object has changed.
func TestRemoteAsksOnce(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	r, _ := remote(t, t.TempDir())
	e := source.Entry{URL: s.put("/a", `"1"`, content(1, 1000))}
	for _, requests := range []int64{2, 2} {
		got, err := read(ctx, r, e, 0, -1)
		require.NoError(t, err)
		require.Equal(t, content(1, 1000), got)
		require.Equal(t, requests, s.requests.Load())
	}
	s.put("/a", `"2"`, content(2, 1500))
	got, err := read(ctx, r, e, 0, -1)
	require.NoError(t, err)
	require.Equal(t, content(1, 1000), got, "as it was found")
	_, err = read(ctx, r, e, 1, 10) // not stored
	require.NoError(t, err, "of the whole")
	require.EqualValues(t, 2, s.requests.Load())

	e = source.Entry{URL: s.put("/b", `"1"`, content(1, 300_000))}
	_, err = read(ctx, r, e, 0, 70_000)
	require.NoError(t, err)
	s.put("/b", `"2"`, content(2, 310_000))
	_, err = read(ctx, r, e, 0, 80_000)
	require.ErrorIs(t, err, spool.ErrIO, "it was overwritten")
	got, err = read(ctx, r, e, 0, -1)
	require.NoError(t, err)
	require.Equal(t, content(2, 310_000), got)

	_, err = read(ctx, r, source.Entry{URL: s.URL + "/none"}, 0, 1)
	require.ErrorIs(t, err, spool.ErrNotFound)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = read(ended, r, e, 0, -1)
	require.ErrorIs(t, err, spool.ErrCanceled)
}

// No password and no signature is written to the folder.
func TestRemoteSecrets(t *testing.T) {
	s := newStore(t)
	folder := t.TempDir()
	r, f := remote(t, folder)
	url := s.put("/a.jpg", `"1"`, content(1, 5000))
	host := url[len("http://"):]
	for _, a := range []string{url + "?X-Amz-Signature=hush", "http://me:hush@" + host, url} {
		got, err := read(t.Context(), r, source.Entry{URL: a}, 0, -1)
		require.NoError(t, err)
		require.Equal(t, content(1, 5000), got)
	}
	assert.EqualValues(t, 2, f.Stats().Entries, "who reads is no part of an object")
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, path, "hush")
			require.False(t, bytes.Contains(b, []byte("hush")))
		}
		return err
	}))
}

// broken is a Remote without objects.
type broken struct{ source.Remote }

func (broken) Open(context.Context, source.Entry) (spool.Object, error) {
	return nil, errors.New("no network")
}

// An object that is listed and stored is only opened in the store, which sends no request.
func TestRemoteFails(t *testing.T) {
	_, err := cache.NewRemote(broken{}, open(t, t.TempDir(), 0)).Open(t.Context(), source.Entry{URL: "x"})
	require.ErrorContains(t, err, "no network")
}
