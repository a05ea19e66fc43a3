package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// store is a source of pictures in a store behind a link. In a bubble of synctest, nothing else takes time.
type store struct {
	rank
	n        int
	requests atomic.Int64

	mu   sync.Mutex
	free time.Time // when the link has passed on everything
}

func (s *store) Len() int          { return s.n }
func (s *store) Classes() []string { return nil }
func (s *store) Remote() bool      { return true }
func (s *store) Item(i int) source.Item {
	return source.Item{ID: int64(i), Name: fmt.Sprint(i), Label: -1}
}
func (s *store) Open(context.Context, int) (spool.Object, error) { return &object{s}, nil }

// object is a picture of one pixel, followed by zeros.
type object struct{ *store }

func (o *object) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: int64(o.bytes)} }
func (o *object) Close() error           { return nil }

func (o *object) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(o.bytes) {
		return 0, io.EOF
	}
	o.requests.Add(1)
	time.Sleep(o.latency) //nolint:forbidigo // of the bubble
	o.mu.Lock()
	now := time.Now()
	if o.free.Before(now) {
		o.free = now
	}
	o.free = o.free.Add(time.Duration(1e9 * float64(len(p)) / o.link))
	until := o.free.Sub(now)
	o.mu.Unlock()
	time.Sleep(until) //nolint:forbidigo // of the bubble
	clear(p)
	if off == 0 {
		copy(p, "P6 1 1 255\nabc")
	}
	if n := min(len(p), int(o.bytes)-int(off)); n < len(p) {
		return n, io.EOF
	}
	return len(p), nil
}

// load loads a number of samples, and returns what rank.simulate returns.
func load(t *testing.T, s *store, o loader.Options, n int) (first time.Duration, perSecond float64) {
	t.Helper()
	o.Batch, o.Workers, o.Shuffle, o.Seed, o.Limit = s.batch, s.cores, true, 7, 0
	ld, err := loader.Images(s, loader.ImageOptions{Options: o,
		Spec: image.Spec{Resize: resize.Spec{Width: 1, Height: 1}}})
	require.NoError(t, err)
	begin := time.Now()
	loaded := 0
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		if loaded == 0 {
			first = time.Since(begin)
		}
		loaded += b.Len()
		time.Sleep(s.step) //nolint:forbidigo // of the bubble
		b.Release()
		if loaded >= n {
			break
		}
	}
	took := time.Since(begin)
	require.NoError(t, ld.Close())
	return first, float64(n-s.batch) / (took - first).Seconds()
}

// The simulation of a rank agrees with its loader, in simulated time: limited by the latency, by the link, and by the
// training.
func TestRank(t *testing.T) {
	const ranks = 1024
	scale := short.Of(1, 16) // of files, link and training, so that the times stay the same
	for name, r := range map[string]rank{
		"latency": {files: 64, latency: 100 * time.Millisecond, link: 1e9, bytes: 20_000},
		"link":    {files: 512, latency: 100 * time.Millisecond, link: 10e6, bytes: 20_000},
		"training": {files: 512, latency: 100 * time.Millisecond, link: 1e9, bytes: 20_000,
			step: 50 * time.Millisecond},
		"a shorter trip":  {files: 64, latency: 10 * time.Millisecond, link: 1e9, bytes: 20_000},
		"the link's part": {files: 512, latency: 100 * time.Millisecond, link: 1e9 / 8, bytes: 100_000},
	} {
		if testing.Short() && (name == "a shorter trip" || name == "the link's part") {
			continue // limited as "latency" and "link" are
		}
		r.files, r.link, r.step = r.files/scale, r.link/float64(scale), r.step*time.Duration(scale)
		r.batch, r.cores = 32, 2
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				n := 4096 / scale
				s := &store{rank: r, n: 1_000_000_000}
				first, rate := load(t, s, loader.Options{Fetching: loader.Fetching{Files: r.files},
					Sharing: loader.Sharing{Rank: order.Rank{Index: 1000, World: ranks}}}, n)
				simulatedFirst, simulatedRate := r.simulate(1, n)
				t.Logf("first batch %v, simulated %v; %.0f samples/s, simulated %.0f", first, simulatedFirst, rate, simulatedRate)
				assert.InEpsilon(t, first.Seconds(), simulatedFirst.Seconds(), 0.15)
				assert.InEpsilon(t, rate, simulatedRate, 0.15)
			})
		})
	}
}

// Each sample is one request, and the state of a rank has less than a kilobyte.
func TestRequestsAndState(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const n = 64 * 1024
		s := &store{rank: rank{batch: 32, cores: 2, latency: time.Millisecond, link: 1e9, bytes: 100}, n: n}
		whole := loader.Options{Sharing: loader.Sharing{Rank: order.Rank{Index: 1023, World: 1024}}}
		load(t, s, whole, math.MaxInt)
		assert.EqualValues(t, n/1024, s.requests.Load())

		s.n = 1_000_000_000
		ld, err := loader.Images(s, loader.ImageOptions{Options: loader.Options{Shuffle: true, Sharing: whole.Sharing},
			Spec: image.Spec{Resize: resize.Spec{Width: 1, Height: 1}}})
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
			break
		}
		state, err := ld.State()
		require.NoError(t, err)
		text, err := json.Marshal(state)
		require.NoError(t, err)
		t.Logf("a state of %d bytes", len(text))
		assert.Less(t, len(text), 1024)
		require.NoError(t, ld.Close())
	})
}

// All ranks together load the epoch, within what their links carry.
func TestReport(t *testing.T) {
	s := setup{samples: 1e6, shards: 100, ranks: 16, node: 8, batch: 32, cores: 4, link: 10, bytes: 100_000,
		latency: 100 * time.Millisecond}
	require.NoError(t, s.check(4096))
	a := s.simulate(4096)
	carried := s.link * 1e9 / 8 / s.bytes / float64(s.node)
	assert.InEpsilon(t, carried, a.rates[0], 0.2, "the link of the slowest rank")
	assert.GreaterOrEqual(t, a.firsts[0], s.latency*7/10)
	assert.Contains(t, s.report(4096), "16 ranks")
	assert.Error(t, s.check(10))
	s.node = 0
	assert.Error(t, s.check(4096))
}
