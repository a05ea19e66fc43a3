package loader_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// remoteSource is a source behind a network, where each open and each read takes about the latency. In a bubble of
// synctest nothing else takes time.
type remoteSource struct {
	dots
	latency time.Duration
	local   bool  // local, but as slow
	known   bool  // opening sends no request
	size    int64 // of a file; 0 for as little as possible
	refuse  map[int]error
	fail    map[int]error

	now, most atomic.Int64 // in flight
}

func (f *remoteSource) Remote() bool { return !f.local }

func (f *remoteSource) wait(ctx context.Context, i int) error {
	for n := f.now.Add(1); ; {
		if most := f.most.Load(); n <= most || f.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer f.now.Add(-1)
	select {
	case <-time.After(f.latency + time.Duration(i%997)*time.Microsecond/10): // different for each sample
		return nil
	case <-ctx.Done():
		return &spool.Error{Op: "read", Class: spool.ErrCanceled, Err: ctx.Err()}
	}
}

func (f *remoteSource) Open(ctx context.Context, i int) (spool.Object, error) {
	if !f.known {
		if err := f.wait(ctx, i); err != nil {
			return nil, err
		}
	}
	if err := f.refuse[i]; err != nil {
		return nil, err
	}
	o, err := f.dots.Open(ctx, i)
	if more := f.size - o.Info().Size; more > 0 { // decoders ignore these bytes
		o = append(o.(memory), make([]byte, more)...)
	}
	return &remoteObject{o, f, i}, err
}

type remoteObject struct {
	spool.Object
	source *remoteSource
	i      int
}

func (o *remoteObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off >= o.Info().Size {
		return o.Object.ReadAt(ctx, p, off)
	}
	if err := o.source.wait(ctx, o.i); err != nil {
		return 0, err
	}
	if err := o.source.fail[o.i]; err != nil {
		return 0, err
	}
	return o.Object.ReadAt(ctx, p, off)
}

// A loop that takes a batch every 20 ms gets one every 20 ms, whatever the latency is. Only the first batch takes
// longer: two round trips, or one if sizes are known.
func TestLatencyIsHidden(t *testing.T) {
	const size, step = 32, 20 * time.Millisecond
	batches := short.Of(32, 20)
	whole := time.Duration(batches) * step
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, latency := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
			for _, known := range []bool{false, true} {
				if order == batch.Any && (known || latency < 100*time.Millisecond) {
					continue
				}
				bubble.Test(t, func(t *testing.T) {
					src := &remoteSource{dots: dots{n: batches * size}, latency: latency, known: known}
					ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
						Options: loader.Options{Workers: 2, Order: order}})
					require.NoError(t, err)
					begin := time.Now()
					var first time.Duration
					for b, err := range ld.Batches(t.Context()) {
						require.NoError(t, err)
						if first == 0 {
							first = max(time.Since(begin), 1)
						}
						time.Sleep(step) //nolint:forbidigo // of the bubble
						b.Release()
					}
					trips := 2
					if known {
						trips = 1
					}
					assert.InDelta(t, float64(trips)*latency.Seconds(), first.Seconds(), 0.002, "first batch at %v", latency)
					late := time.Since(begin) - first - whole
					assert.Less(t, late, 4*latency+step, "of %v at %v, known %v", whole, latency, known)
					assert.LessOrEqual(t, src.most.Load(), int64(2*512))
					require.NoError(t, ld.Close())
				})
			}
		}
	}
}

// With 512 files of 110 KB in flight at 200 ms, compressed bytes stay within Fetching.Memory, including the overhead of
// size classes: a buffer of 110 KB has 112 KiB. Batches take no memory for samples that have not arrived.
func TestMemoryOfRemoteFiles(t *testing.T) {
	const slot = 3
	for i, ahead := range []int64{0, 10 << 20} {
		few := []int{544, 160}[i] // more than are in flight
		bubble.Test(t, func(t *testing.T) {
			src := &remoteSource{dots: dots{n: short.Of(900, few)}, latency: 200 * time.Millisecond, known: true, size: 110_000}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
				Options: loader.Options{Workers: 2, Fetching: loader.Fetching{Memory: ahead}}})
			require.NoError(t, err)
			const class = 112 << 10
			most, onWay := ahead, ahead/class
			if ahead == 0 {
				most, onWay = (512+64+8+32+4)*class, 512 // a window of samples
			}
			for b, err := range ld.Batches(t.Context()) {
				require.NoError(t, err)
				time.Sleep(20 * time.Millisecond) //nolint:forbidigo // of the bubble
				assert.LessOrEqual(t, ld.Files().Use[spool.Compressed].Bytes, most)
				b.Release()
			}
			assert.LessOrEqual(t, ld.Files().PeakBytes, most)
			assert.Equal(t, onWay, src.most.Load())
			assert.LessOrEqual(t, ld.Slabs().PeakBytes, int64(8*33*(slot+4096)))
			require.NoError(t, ld.Close())
		})
	}
}

// A profile runs each stage alone, also if the first stages wait for the network.
func TestProfileOfRemoteStages(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		src := &remoteSource{dots: dots{n: 100_000}, latency: 10 * time.Millisecond}
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Workers: 1, Prefetch: 64}})
		require.NoError(t, err)
		profile, err := ld.Profile(t.Context(), pipe.ProfileOptions{Items: 1000, Workers: []int{1}})
		require.NoError(t, err)
		assert.NotEmpty(t, profile)
		require.NoError(t, ld.Close())
	})
}

// The report has the stages that wait for the network, with their service times and the number of samples in flight.
func TestReportOfRemoteStages(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		src := &remoteSource{dots: dots{n: 1000}, latency: 100 * time.Millisecond}
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
			Options: loader.Options{Fetching: loader.Fetching{Files: 50}, Workers: loader.Auto}})
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
		}
		stages := map[string]stats.StageReport{}
		var names []string
		for _, s := range ld.Report().Stages {
			stages[s.Name] = s
			names = append(names, s.Name)
		}
		assert.Equal(t, []string{"list", "locate", "open", "fetch", "slot", "decode", "batch"}, names)
		for _, name := range []string{"locate", "fetch"} {
			s := stages[name]
			assert.Equal(t, 50, s.Workers)
			assert.InDelta(t, 100, s.P50MS, 5, name)
			assert.Greater(t, s.Occupancy, 0.5, name)
		}
		assert.EqualValues(t, 50, src.most.Load()/2)
		require.NoError(t, ld.Close())
	})
}

// With each policy, samples that cannot be found or read are recorded in the ledger with the stage that failed. The
// others are delivered in order. This holds for remote and for local samples.
func TestRemoteFailures(t *testing.T) {
	for _, policy := range []loader.Policy{loader.Skip, loader.Placeholder, loader.Fail} {
		for _, how := range []struct {
			order batch.Order
			local bool
		}{{batch.Exact, false}, {batch.Any, false}, {batch.Exact, true}, {batch.Any, true}} {
			order := how.order
			bubble.Test(t, func(t *testing.T) {
				src := &remoteSource{dots: dots{n: 100, bad: map[int]bool{50: true}}, latency: 50 * time.Millisecond,
					local:  how.local,
					refuse: map[int]error{10: &spool.Error{Op: "open", Class: spool.ErrNotFound, Text: "gone"}},
					fail:   map[int]error{20: &spool.Error{Op: "read", Class: spool.ErrTimeout, Text: "silent"}, 99: spool.ErrIO}}
				var ledger pipe.MemoryLedger
				got, err := load(t, src, loader.ImageOptions{Spec: spec(1),
					Options: loader.Options{Batch: 8, OnError: policy, Order: order,
						Failures: loader.Failures{Ledger: &ledger}}}, samples)
				failures := ledger.Failures()
				if policy == loader.Fail {
					require.Error(t, err)
					require.NotEmpty(t, failures)
					return
				}
				require.NoError(t, err)
				var listed []string
				for _, f := range failures {
					listed = append(listed, fmt.Sprint(f.ID, " ", f.File, " ", f.Stage, " ", f.Class))
				}
				assert.ElementsMatch(t, []string{"10 10 locate not-found", "20 20 fetch timeout", "50 50 decode not-media",
					"99 99 fetch io"}, listed)
				var ids, blanks []int64
				for _, s := range slices.Concat(got...) {
					if s.State == batch.Placeholder {
						blanks = append(blanks, s.ID)
					} else {
						ids = append(ids, s.ID)
					}
				}
				var want []int64
				for _, id := range src.good() {
					if id != 10 && id != 20 && id != 99 {
						want = append(want, id)
					}
				}
				if order == batch.Exact {
					assert.Equal(t, want, ids)
				} else {
					assert.ElementsMatch(t, want, ids)
				}
				if policy == loader.Placeholder {
					slices.Sort(blanks)
					assert.Equal(t, []int64{10, 20, 50, 99}, blanks)
				} else {
					assert.Empty(t, blanks)
				}
			})
		}
	}
}

// All work in flight ends at once when the loop breaks or the context ends.
func TestRemoteCancel(t *testing.T) {
	r := seed.Rand(t)
	for range 6 {
		after, broken := time.Duration(r.Int64N(int64(1500*time.Millisecond))), r.IntN(2) == 0
		bubble.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := &remoteSource{dots: dots{n: 1_000_000}, latency: 200 * time.Millisecond}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
				Options: loader.Options{Fetching: loader.Fetching{Memory: 512 << 12}, Shuffle: true}})
			require.NoError(t, err)
			begin := time.Now()
			if !broken {
				time.AfterFunc(after, cancel)
			}
			for b, err := range ld.Batches(ctx) {
				if err == nil {
					time.Sleep(10 * time.Millisecond) //nolint:forbidigo // of the bubble
					b.Release()
				}
				if broken && time.Since(begin) > after {
					break
				}
			}
			most := 20 * time.Millisecond
			if broken { // it waits for a batch at which it breaks
				most = time.Second
			}
			assert.Less(t, time.Since(begin)-after, most)
			assert.Zero(t, src.now.Load())
			require.NoError(t, ld.Close())
		})
	}
}
