package loader_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
)

// far is a source on the other side of a network, which is all that takes time in a bubble of synctest: each opening and each
// reading takes about the latency.
type far struct {
	dots
	latency time.Duration
	near    bool  // on this machine, which is as slow
	known   bool  // opening asks nobody
	size    int64 // of a file; 0 for as little as it takes
	refuse  map[int]error
	fail    map[int]error

	now, most atomic.Int64 // on their way
}

func (f *far) Remote() bool { return !f.near }

func (f *far) wait(ctx context.Context, i int) error {
	for n := f.now.Add(1); ; {
		if most := f.most.Load(); n <= most || f.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer f.now.Add(-1)
	select {
	case <-time.After(f.latency + time.Duration(i%997)*time.Microsecond/10): // nobody wakes in the same nanosecond
		return nil
	case <-ctx.Done():
		return &spool.Error{Op: "read", Class: spool.ErrCanceled, Err: ctx.Err()}
	}
}

func (f *far) Open(ctx context.Context, i int) (spool.Object, error) {
	if !f.known {
		if err := f.wait(ctx, i); err != nil {
			return nil, err
		}
	}
	if err := f.refuse[i]; err != nil {
		return nil, err
	}
	o, err := f.dots.Open(ctx, i)
	if more := f.size - o.Info().Size; more > 0 { // which decoders do not look at
		o = append(o.(memory), make([]byte, more)...)
	}
	return &farObject{o, f, i}, err
}

type farObject struct {
	spool.Object
	far *far
	i   int
}

func (o *farObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off >= o.Info().Size {
		return o.Object.ReadAt(ctx, p, off)
	}
	if err := o.far.wait(ctx, o.i); err != nil {
		return 0, err
	}
	if err := o.far.fail[o.i]; err != nil {
		return 0, err
	}
	return o.Object.ReadAt(ctx, p, off)
}

// A loop that takes a batch each 20 ms gets one each 20 ms, however far the samples are, after the first, which takes
// two round trips, or one where sizes are known.
func TestLatencyIsHidden(t *testing.T) {
	const batches, size, step = 32, 32, 20 * time.Millisecond
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, latency := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
			for _, known := range []bool{false, true} {
				if order == batch.Any && (known || latency < 100*time.Millisecond) {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					src := &far{dots: dots{n: batches * size}, latency: latency, known: known}
					ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Workers: 2, Order: order}})
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
					late := time.Since(begin) - first - batches*step
					assert.Less(t, late, 4*latency+step, "of %v at %v, known %v", batches*step, latency, known)
					assert.LessOrEqual(t, src.most.Load(), int64(2*512))
					require.NoError(t, ld.Close())
				})
			}
		}
	}
}

// With 512 files of 110 KB in flight at 200 ms, compressed bytes stay within Options.Ahead, what they are rounded up to
// included, and batches take no memory for those that have not come.
func TestMemoryOfFarFiles(t *testing.T) {
	const slot = 3
	for _, ahead := range []int64{0, 10 << 20} {
		synctest.Test(t, func(t *testing.T) {
			src := &far{dots: dots{n: 900}, latency: 200 * time.Millisecond, known: true, size: 110_000}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Workers: 2, Ahead: ahead}})
			require.NoError(t, err)
			most, onWay := ahead, ahead/src.size
			if ahead == 0 {
				most, onWay = (512+64+8+32+4)*src.size, 512 // of a window of samples
			}
			most += most / 4
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

// A profile runs each stage alone, also where the first wait for the network.
func TestProfileOfFarStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &far{dots: dots{n: 100_000}, latency: 10 * time.Millisecond}
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Workers: 1, Prefetch: 64}})
		require.NoError(t, err)
		profile, err := ld.Profile(t.Context(), pipe.Profiling{Items: 1000, Workers: []int{1}})
		require.NoError(t, err)
		assert.NotEmpty(t, profile)
		require.NoError(t, ld.Close())
	})
}

// The stages that wait for the network are in the report, with how long they took and how many were on their way.
func TestReportOfFarStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &far{dots: dots{n: 1000}, latency: 100 * time.Millisecond}
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Fetchers: 50, Workers: loader.Auto}})
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
		}
		stages := map[string]pipe.StageReport{}
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

// What cannot be found or read is in the ledger with the stage that found out, by each policy, and the others come in
// order: of samples far away and of those on this machine.
func TestFarFailures(t *testing.T) {
	for _, policy := range []loader.Policy{loader.Skip, loader.Placeholder, loader.Fail} {
		for _, how := range []struct {
			order batch.Order
			near  bool
		}{{batch.Exact, false}, {batch.Any, false}, {batch.Exact, true}, {batch.Any, true}} {
			order := how.order
			synctest.Test(t, func(t *testing.T) {
				src := &far{dots: dots{n: 100, bad: map[int]bool{50: true}}, latency: 50 * time.Millisecond, near: how.near,
					refuse: map[int]error{10: &spool.Error{Op: "open", Class: spool.ErrNotFound, Text: "gone"}},
					fail:   map[int]error{20: &spool.Error{Op: "read", Class: spool.ErrTimeout, Text: "silent"}, 99: spool.ErrIO}}
				var ledger pipe.MemoryLedger
				got, err := load(t, src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 8, OnError: policy, Order: order, Ledger: &ledger}}, samples)
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
				assert.ElementsMatch(t, []string{"10 10 locate not-found", "20 20 fetch timeout", "50 50 decode not-media", "99 99 fetch io"}, listed)
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

// Whatever is on its way when the loop is broken off, or the context ends, is given up at once.
func TestFarCancel(t *testing.T) {
	r := seed.Rand(t)
	for range 6 {
		after, broken := time.Duration(r.Int64N(int64(1500*time.Millisecond))), r.IntN(2) == 0
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := &far{dots: dots{n: 1_000_000}, latency: 200 * time.Millisecond}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Ahead: 512 * 10, Shuffle: true}})
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
			if broken { // it waits for a batch to break off at
				most = time.Second
			}
			assert.Less(t, time.Since(begin)-after, most)
			assert.Zero(t, src.now.Load())
			require.NoError(t, ld.Close())
		})
	}
}
