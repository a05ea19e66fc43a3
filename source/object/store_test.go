package object_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/pipenet"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// store is a file server whose answers a test may spoil.
type store struct {
	URL       string
	transport http.RoundTripper // to it; nil: any
	requests  atomic.Int64

	mu    sync.Mutex
	files map[string]file
	puts  int
	// spoil, if not nil, may answer in place of the store. n counts requests, from 0.
	spoil func(n int64, w http.ResponseWriter, r *http.Request) bool
}

type file struct {
	bytes []byte
	etag  string
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{files: map[string]file{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// newPiped is a store for a bubble of synctest: clients have its transport.
func newPiped(t *testing.T) *store {
	t.Helper()
	s := &store{URL: "http://store", files: map[string]file{}}
	server := pipenet.Serve(s)
	t.Cleanup(server.Close)
	s.transport = server.Transport
	return s
}

func (s *store) put(name string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	s.files[name] = file{b, fmt.Sprintf("\"%d-%d\"", s.puts, len(b))}
}

func (s *store) spoiled(f func(n int64, w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = f
	s.requests.Store(0)
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1) - 1
	s.mu.Lock()
	f, ok := s.files[r.URL.Path]
	spoil := s.spoil
	s.mu.Unlock()
	if spoil != nil && spoil(n, w, r) {
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Etag", f.etag)
	http.ServeContent(w, r, "x.jpg", time.Time{}, bytes.NewReader(f.bytes))
}

// newClient returns a client with a short retry time.
func newClient(t *testing.T, o object.Options) *object.Client {
	t.Helper()
	if o.RetryTime == 0 {
		o.RetryTime = 10 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	c, err := object.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func noise(t *testing.T, n int) []byte {
	t.Helper()
	r := seed.Rand(t)
	b := make([]byte, n, n+8)
	for i := 0; i < n; i += 8 {
		binary.NativeEndian.PutUint64(b[i:i+8:i+8], r.Uint64())
	}
	return b
}

// half answers a request with the headers of all bytes, sends half of them, and breaks off.
func half(b []byte, etag string, w http.ResponseWriter, r *http.Request) {
	from, to := 0, len(b)-1
	w.Header().Set("Etag", etag)
	status := http.StatusOK
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil {
		to = min(to, len(b)-1)
		status = http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)))
	}
	w.Header().Set("Content-Length", fmt.Sprint(to-from+1))
	w.WriteHeader(status)
	_, _ = w.Write(b[from : from+(to-from+1)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// showsNot fails if an error shows a secret.
func showsNot(t *testing.T, err error, secrets ...string) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, secret := range secrets {
			require.NotContains(t, e.Error(), secret)
		}
	}
	for _, secret := range secrets {
		require.NotContains(t, strings.Join([]string{err.Error(), fmt.Sprintf("%+v", err)}, " "), secret)
	}
}

// open opens an object by its URL.
func open(t *testing.T, c *object.Client, url string) (*object.Object, error) {
	t.Helper()
	return reopen(t, c, source.Entry{URL: url})
}

func reopen(t *testing.T, c *object.Client, e source.Entry) (*object.Object, error) {
	t.Helper()
	o, err := c.Open(t.Context(), e)
	if err != nil {
		return nil, err
	}
	return o.(*object.Object), nil
}

func read(ctx context.Context, o *object.Object) ([]byte, error) {
	b := make([]byte, o.Info().Size)
	n, err := o.ReadAt(ctx, b, 0)
	return b[:n], err
}
