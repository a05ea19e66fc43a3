package loader_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// web is a server of files, whose answers take a while, and a test may spoil them. It is a source.Remote, too: the object
// client's, with a listing.
type web struct {
	*object.Client
	server  *httptest.Server
	paths   []string // sorted
	files   map[string][]byte
	latency time.Duration // until an answer begins, give or take a fifth
	spoil   func(w http.ResponseWriter, r *http.Request, data []byte) (done bool)

	reads, looks atomic.Int64 // requests for bytes, and for sizes
	now, most    atomic.Int64 // requests at a time
}

// serve starts a server of files by their paths, such as "/a.jpg".
func serve(t testing.TB, files map[string][]byte, o object.Options) *web {
	t.Helper()
	w := &web{files: files}
	for path := range files {
		w.paths = append(w.paths, path)
	}
	slices.Sort(w.paths)
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	var err error
	w.Client, err = object.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Client.Close()) })
	return w
}

// serveFiles serves n files, those of the names over and over.
func serveFiles(t testing.TB, names []string, n int, o object.Options) *web {
	t.Helper()
	contents := make([][]byte, len(names))
	for i, name := range names {
		var err error
		contents[i], err = os.ReadFile(name)
		require.NoError(t, err)
	}
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("/%06d%s", i, names[i%len(names)][strings.LastIndexByte(names[i%len(names)], '.'):])] = contents[i%len(names)]
	}
	return serve(t, files, o)
}

func etag(data []byte) string {
	h := fnv.New64a()
	_, _ = h.Write(data[:min(len(data), 4096)])
	return fmt.Sprintf(`"%x-%d"`, h.Sum64(), len(data))
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for n := s.now.Add(1); ; {
		if most := s.most.Load(); n <= most || s.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer s.now.Add(-1)
	if r.Method == http.MethodHead {
		s.looks.Add(1)
	} else {
		s.reads.Add(1)
	}
	if s.latency > 0 {
		wait := time.NewTimer(time.Duration(float64(s.latency) * (0.8 + 0.4*rand.Float64())))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	}
	data, ok := s.files[r.URL.Path]
	if s.spoil != nil && s.spoil(w, r, data) {
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Etag", etag(data))
	w.Header().Set("Content-Type", "application/octet-stream") // else it is guessed
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// List gives all files and their sizes.
func (s *web) List(_ context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for _, path := range s.paths {
			e := source.Entry{Address: s.server.URL + path, Size: int64(len(s.files[path])), Version: etag(s.files[path])}
			if strings.HasPrefix(e.Address, prefix) && !yield(e, nil) {
				return
			}
		}
	}
}

// listed is the files as a listing has them, with their sizes.
func (s *web) listed(t testing.TB, o source.Options) *source.Listing {
	t.Helper()
	o.Remote = s
	src, err := source.Open(t.Context(), []string{s.server.URL + "/"}, o)
	require.NoError(t, err)
	require.True(t, src.Remote())
	return src
}

// named is the files as a list of addresses has them, without.
func (s *web) named(t testing.TB) *source.Listing {
	t.Helper()
	args := make([]string, len(s.paths))
	for i, path := range s.paths {
		args[i] = s.server.URL + path
	}
	src, err := source.Open(t.Context(), args, source.Options{Remote: s})
	require.NoError(t, err)
	require.True(t, src.Remote())
	return src
}
