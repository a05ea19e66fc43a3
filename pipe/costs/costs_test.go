package costs_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/stats"
)

const samples, batch = 800, 16

// bursts is a pipeline of stages that sleep. Costly items come in bursts, so that their order matters.
type bursts struct {
	decoders, prefetch int
	latency            time.Duration
	join               func(*pipe.Pipeline, bursts) *pipe.Flow[int]
}

// sleeping returns a function that takes d, six times as long for the second half of each 400 items, and the latency.
func sleeping(d, latency time.Duration) func(context.Context, int) (int, error) {
	return func(_ context.Context, n int) (int, error) {
		if n%400 >= 200 {
			time.Sleep(5 * d)
		}
		time.Sleep(d + latency)
		return n, nil
	}
}

func numbers(p *pipe.Pipeline, name string, from, to int) *pipe.Flow[int] {
	return pipe.FromSeq(p, name, func(yield func(int) bool) {
		for n := from; n < to && yield(n); n++ {
		}
	})
}

// chain is the stages of a loader.
func chain(p *pipe.Pipeline, b bursts) *pipe.Flow[int] {
	fetched := pipe.Map(numbers(p, "list", 0, samples), "fetch", pipe.Stage{Workers: 8},
		sleeping(time.Millisecond, b.latency))
	return pipe.Map(fetched, "decode", pipe.Stage{Workers: b.decoders, Queue: 2 * b.decoders},
		sleeping(2*time.Millisecond, 0))
}

// large reports whether an item takes the second path, in runs of different lengths.
func large(_ context.Context, n int) (int, error) {
	if n%100 < 20 || n%7 == 0 {
		return 1, nil
	}
	return 0, nil
}

// routed has a path for cheap and one for costly items.
func routed(p *pipe.Pipeline, b bursts) *pipe.Flow[int] { return route(p, b, false) }

// unordered is routed, in the order in which items are done.
func unordered(p *pipe.Pipeline, b bursts) *pipe.Flow[int] { return route(p, b, true) }

func route(p *pipe.Pipeline, b bursts, asCompleted bool) *pipe.Flow[int] {
	path := func(name string, workers int, d time.Duration) func(*pipe.Flow[int]) *pipe.Flow[int] {
		return func(in *pipe.Flow[int]) *pipe.Flow[int] {
			some := pipe.Filter(in, "filter", pipe.Stage{},
				func(_ context.Context, n int) (bool, error) { return n%10 != 3, nil })
			return pipe.Map(some, name, pipe.Stage{Workers: workers}, sleeping(d, 0))
		}
	}
	return pipe.Route(numbers(p, "list", 0, samples), "size", pipe.Stage{AsCompleted: asCompleted}, large,
		path("small", 1, 500*time.Microsecond), path("decode", b.decoders, 4*time.Millisecond))
}

// mixed merges two sources, three items of one for each of the other, and decodes each item in two ways.
func mixed(p *pipe.Pipeline, b bursts) *pipe.Flow[int] {
	fetched := pipe.Map(numbers(p, "remote", 0, samples/4), "fetch", pipe.Stage{Workers: 2},
		sleeping(4*time.Millisecond, b.latency))
	all := pipe.Merge("mix", pipe.Stage{}, pipe.MergeOptions{Weights: []float64{1, 3}}, fetched,
		numbers(p, "local", 0, samples*3/4))
	both := pipe.Tee(all, "copy", pipe.Stage{}, 2, nil)
	one := pipe.Map(both[0], "decode", pipe.Stage{Workers: b.decoders}, sleeping(2*time.Millisecond, 0))
	two := pipe.Map(both[1], "label", pipe.Stage{Workers: 3}, sleeping(time.Millisecond, 0))
	return pipe.MergeAny("both", pipe.Stage{}, one, two)
}

// untimed is a recorder without CPU times, which in a bubble have another clock than all else.
type untimed struct{ *costs.Recorder }

func (untimed) Details() pipe.Details { return 0 }

// run runs the pipeline with a consumer that takes 5 ms a batch.
func (b bursts) run(t *testing.T) (*costs.Costs, stats.Report) {
	r := &costs.Recorder{Memory: func() int64 { return 50 << 20 }}
	p := pipe.New(pipe.Options{Observer: untimed{r}})
	for items, err := range pipe.Batch(b.join(p, b), "batch", pipe.Stage{Queue: b.prefetch}, batch).All(t.Context()) {
		require.NoError(t, err)
		r.Batch(len(items), 1000)
		time.Sleep(5 * time.Millisecond)
	}
	c := r.Costs(p.Report())
	c.CPU = 1e-3 // the stages sleep; the process has another clock than the bubble
	return c, p.Report()
}

// The costs of one run, from a file, predict runs with other workers and latency: with items that come in bursts, with
// paths, several sources and tees.
func TestPredict(t *testing.T) {
	settings := []costs.Settings{{Workers: 8, Latency: 30 * time.Millisecond}, {Workers: 8, Prefetch: 4}, {}, {Workers: 1}}
	for i, test := range short.Some([]struct {
		name string
		join func(*pipe.Pipeline, bursts) *pipe.Flow[int]
	}{{"mixture", mixed}, {"chain", chain}, {"route as completed", unordered}, {"route", routed}}, 2) {
		name, join := test.name, test.join
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				first, report := bursts{decoders: 2, prefetch: 2, join: join}.run(t)
				require.Empty(t, report.Failures)
				file := filepath.Join(t.TempDir(), "costs.json")
				require.NoError(t, first.Write(file))
				read, err := costs.Read(file)
				require.NoError(t, err)
				for _, s := range short.Of(settings, settings[i:i+1]) {
					if s.Latency > 0 && (name == "route" || name == "route as completed") {
						continue // which fetch nothing
					}
					predicted, ok := read.Predict(s)
					require.True(t, ok)
					other := bursts{decoders: cmp.Or(s.Workers, 2), prefetch: cmp.Or(s.Prefetch, 2), latency: s.Latency, join: join}
					actual, measured := other.run(t)
					rate := float64(actual.Samples) / measured.Elapsed.Seconds()
					assert.InEpsilon(t, rate, predicted.Rate.Value, 0.05, "%+v: %s", s, measured.Verdict())
					assert.InEpsilon(t, actual.First, predicted.First.Value, 0.1, "%+v: first batch", s)
					assert.LessOrEqual(t, predicted.Rate.Low, rate, "%+v", s)
					assert.GreaterOrEqual(t, predicted.Rate.High, rate, "%+v", s)
					assert.InDelta(t, 0, predicted.Deviation, 0.05)
				}
			})
		})
	}
}

// A file that has no costs is refused, whatever else it has.
func TestReadRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "costs.json")
	stage := func(more string) string {
		return `{"version":2,"samples":1,"batches":1,"batch":1,"cores":1,"seconds":1,"stages":[` +
			`{"workers":1,"next":[1],"service":{}},{"workers":1,"next":[],"service":{}` + more + `}]}`
	}
	for _, text := range []string{"", "{}", `{"version":1}`, stage(`},{`), stage(`,"next":[0]`), stage(`,"workers":0`),
		stage(`,"from":[1]`), stage(`,"kind":9`), stage(`,"router":2`), stage(`,"weights":[-1,2]`), stage(`,"queue":-1`),
		stage(`,"service":{"buckets":[[-1,1]]}`)} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := costs.Read(name)
		require.ErrorIs(t, err, costs.ErrFile, text)
	}
	require.NoError(t, os.WriteFile(name, []byte(stage("")), 0o600))
	read, err := costs.Read(name)
	require.NoError(t, err)
	_, ok := read.Predict(costs.Settings{})
	assert.False(t, ok, "no items")
}
