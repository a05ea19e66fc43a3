package loader_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

var faultRuns = flag.Int("faults", 15, "random runs with a server that fails")

// fault is a server's misbehavior instead of a good response.
type fault uint8

const (
	none      fault = iota
	reset           // connection reset before a response
	cut             // connection closed within a response
	lacking         // fewer bytes than requested, with a Content-Range of all of them
	silent          // no response
	stalled         // a response that stops in the middle
	busy            // 503
	broken          // 500
	late            // a good response, after seconds
	passing         // faults up to here are temporary
	rewritten       // another object from now on
	gone            // 404 from now on
	refused         // 403 from now on
	faults
)

// flaky is a store of images of 10 x 10 pixels, each with its own faults. It includes the object client and an HTTP
// server, connected by pipes, so that everything runs in a bubble of synctest.
type flaky struct {
	*object.Client
	server *http.Server
	conns  chan net.Conn
	closed chan struct{}

	latency time.Duration // of each response, approximately
	mu      sync.Mutex
	files   []*flakyFile
}

type flakyFile struct {
	versions [2][]byte
	version  int
	plan     []fault // faults of the next requests
	faulty   bool
	forever  fault // gone or refused, or none
}

func newFlaky(r *rand.Rand, n int, o object.Options) *flaky {
	s := &flaky{conns: make(chan net.Conn), closed: make(chan struct{}), latency: 10 * time.Millisecond}
	for i := range n {
		f := &flakyFile{}
		for v := range f.versions {
			image := bytes.Repeat([]byte{byte(i), byte(i >> 8), byte(v)}, 100)
			f.versions[v] = append([]byte("P6 10 10 255\n"), image...)
		}
		if r.IntN(2) == 0 { // it grows
			f.versions[1] = append(f.versions[1], "no longer part of it"...)
		}
		if r.IntN(4) == 0 {
			for range 1 + r.IntN(4) {
				f.plan = append(f.plan, fault(r.IntN(int(faults))))
			}
			f.faulty = true
		}
		s.files = append(s.files, f)
	}
	s.server = &http.Server{Handler: s}
	o.Transport = &http.Transport{DialContext: s.dial, MaxIdleConnsPerHost: 1000}
	var err error
	if s.Client, err = object.New(o); err != nil {
		panic(err)
	}
	return s
}

func (s *flaky) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case s.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept, Close and Addr implement net.Listener for its server.
func (s *flaky) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *flaky) Close() error   { return nil }
func (s *flaky) Addr() net.Addr { return &net.TCPAddr{} }

// stop closes the server and the client.
func (s *flaky) stop(t *testing.T) {
	require.NoError(t, s.Client.Close())
	close(s.closed)
	require.NoError(t, s.server.Close())
	time.Sleep(5 * time.Second) //nolint:forbidigo // of late answers
}

func (s *flaky) url(i int) string { return fmt.Sprintf("http://store/%05d.ppm", i) }

func (s *flaky) List(context.Context, string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for i, f := range s.files {
			if !yield(source.Entry{URL: s.url(i), Size: int64(len(f.versions[0])), Version: etag(f.versions[0])}, nil) {
				return
			}
		}
	}
}

// next returns the fault for a request, and the file's current data.
func (s *flaky) next(i int) (fault, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[i]
	now := f.forever
	if now == none && len(f.plan) > 0 {
		now, f.plan = f.plan[0], f.plan[1:]
	}
	switch now {
	case gone, refused:
		f.forever = now
	case rewritten:
		f.version = 1
	}
	return now, f.versions[f.version]
}

func (s *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".ppm"))
	if err != nil {
		panic(err)
	}
	wrong, data := s.next(i)
	time.Sleep(s.latency + time.Duration(i*1000+rand.IntN(1000))) //nolint:forbidigo // answers come at different times
	w.Header().Set("Etag", etag(data))
	switch wrong {
	case reset:
		panic(http.ErrAbortHandler)
	case silent:
		<-r.Context().Done()
	case busy:
		w.Header().Set("Retry-After", []string{"0", "1", "3"}[i%3])
		w.WriteHeader(http.StatusServiceUnavailable)
	case broken:
		w.WriteHeader(http.StatusInternalServerError)
	case gone:
		w.WriteHeader(http.StatusNotFound)
	case refused:
		w.WriteHeader(http.StatusForbidden)
	case cut, lacking, stalled:
		s.spoil(w, r, data, wrong)
	case late:
		time.Sleep(3 * time.Second) //nolint:forbidigo // of the bubble
		fallthrough
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// spoil begins a response that ends badly.
func (s *flaky) spoil(w http.ResponseWriter, r *http.Request, data []byte, wrong fault) {
	var from, to int
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
		panic(http.ErrAbortHandler) // a HEAD
	}
	to = min(to, len(data)-1)
	if match := r.Header.Get("If-Match"); match != "" && match != etag(data) || from > to {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(data)))
	half := data[from : from+(to-from+1)/2]
	if wrong == lacking {
		w.Header().Set("Content-Length", fmt.Sprint(len(half)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(half)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(to-from+1))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(half)
	w.(http.Flusher).Flush()
	if wrong == stalled {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// Whatever a server does, each sample is delivered once and complete, or recorded in the ledger. The order is that of a
// run without failures. This also holds for a run that is broken off or canceled anywhere and resumes from its state.
// No wait is endless, and nothing leaks.
func TestRemoteFaults(t *testing.T) {
	seed := seed.Of(t)
	for round := range max(1, *faultRuns/short.Of(1, 3)) {
		bubble.Test(t, func(t *testing.T) {
			flakyRun(t, rand.New(rand.NewPCG(seed, uint64(round))))
		})
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func flakyRun(t *testing.T, r *rand.Rand) {
	s := newFlaky(r, 1+r.IntN(150), object.Options{})
	go func() { _ = s.server.Serve(s) }()
	o := loader.Options{Batch: 1 + r.IntN(12), Epochs: 1 + r.IntN(2), Shuffle: r.IntN(2) == 0, Seed: r.Uint64N(100),
		Workers:  1 + r.IntN(4),
		Fetching: loader.Fetching{Files: r.IntN(60), Memory: 300 + r.Int64N(100_000)},
		OnError:  []loader.Policy{loader.Skip, loader.Placeholder}[r.IntN(2)]}
	names := []string{"http://store/"}
	if r.IntN(2) == 0 { // or without sizes and versions
		for i := range s.files {
			names = append(names, s.url(i))
		}
		names = names[1:]
	}
	src, err := source.Open(t.Context(), names, source.Options{Remote: s, Extensions: []string{".ppm"}})
	require.NoError(t, err)
	want := wanted(t, o, src.Len()) // ids, by epoch

	got := make([][]int64, o.Epochs)
	failed := map[[2]int64]string{}
	for len(o.Resume) == 0 || r.IntN(3) > 0 {
		if r.IntN(6) == 0 { // run to the end
			break
		}
		stop := r.IntN(1 + o.Epochs*src.Len()/o.Batch)
		ctx, cancel := context.WithCancel(t.Context())
		if r.IntN(2) == 0 {
			time.AfterFunc(time.Duration(r.Int64N(int64(5*time.Second))), cancel)
		}
		state := s.drive(ctx, t, src, o, stop, got, failed)
		cancel()
		o.Resume = []loader.State{state}
	}
	s.drive(t.Context(), t, src, o, -1, got, failed)
	for epoch, ids := range want {
		rest := got[epoch]
		for _, id := range ids {
			if len(rest) > 0 && rest[0] == id {
				rest = rest[1:]
				continue
			}
			require.NotEmpty(t, failed[[2]int64{int64(epoch), id}],
				"sample %d of epoch %d is neither delivered in its turn nor listed: %+v", id, epoch, o)
		}
		require.Empty(t, rest, "epoch %d: %v", epoch, ids)
	}
	for at, class := range failed {
		require.True(t, s.files[at[1]].faulty, "%v: %s", at, class)
		require.Contains(t, []string{"io", "timeout", "not-found", "permission", "too-large"}, class)
	}
	s.stop(t)
}

// wanted returns the expected ids in order, by epoch.
func wanted(t *testing.T, o loader.Options, n int) [][]int64 {
	o.OnError = loader.Fail
	want := make([][]int64, o.Epochs)
	_, err := load(t, dots{n: n}, loader.ImageOptions{Spec: spec(1), Options: o}, func(b *batch.Batch) bool {
		for _, s := range b.Samples {
			want[b.Epoch] = append(want[b.Epoch], s.ID)
		}
		return true
	})
	require.NoError(t, err)
	return want
}

// drive runs a loader for most batches, or until ctx ends. It adds the delivered ids to got, and the ledger's failures
// to failed.
func (s *flaky) drive(ctx context.Context, t *testing.T, src source.Source, o loader.Options, most int, got [][]int64,
	failed map[[2]int64]string) loader.State {
	var ledger pipe.MemoryLedger
	o.Failures.Ledger = &ledger
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(10), Options: o})
	require.NoError(t, err)
	taken, blanks := 0, map[int64]bool{}
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			require.True(t, errors.Is(err, context.Canceled) || spool.ClassOf(err) == spool.ErrEmpty, "%v", err)
			break
		}
		for i, x := range b.Samples {
			if x.State == batch.Placeholder {
				blanks[x.ID] = true
				continue
			}
			whole := false
			for _, v := range s.files[x.ID].versions {
				whole = whole || bytes.Equal(v[len("P6 10 10 255\n"):][:300], b.Slot(i))
			}
			require.True(t, whole, "sample %d", x.ID)
			got[b.Epoch] = append(got[b.Epoch], x.ID)
		}
		taken++
		b.Release()
		if taken == most {
			break
		}
	}
	state, err := ld.State()
	require.NoError(t, err)
	require.NoError(t, ld.Close())
	listed := map[string]bool{}
	for _, f := range ledger.Failures() {
		require.Contains(t, []string{"locate", "fetch"}, f.Stage, "%+v", f)
		require.False(t, listed[f.ID] && o.Epochs == 1, "%s is listed twice", f.ID)
		listed[f.ID] = true
		id, err := strconv.ParseInt(f.ID, 10, 64)
		require.NoError(t, err)
		require.Equal(t, s.url(int(id)), f.File)
		for epoch := range o.Epochs { // the test does not know the failure's epoch
			failed[[2]int64{int64(epoch), id}] = f.Class
		}
		delete(blanks, id)
	}
	require.Empty(t, slices.Collect(func(yield func(int64) bool) {
		for id := range blanks {
			if !yield(id) {
				return
			}
		}
	}), "placeholders that are not listed")
	return state
}
