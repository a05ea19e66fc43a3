package loader_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// untimed is a recorder without CPU times, which in a bubble have another clock than all else.
type untimed struct{ *costs.Recorder }

func (untimed) Details() pipe.Details { return 0 }

// costsOfStore loads images of a store and returns what they cost.
func costsOfStore(t *testing.T, latency time.Duration) *costs.Costs {
	s := newFlaky(rand.New(rand.NewPCG(1, 2)), short.Of(800, 320), object.Options{HedgeShare: -1})
	s.latency = latency
	var names []string
	for i, f := range s.files {
		f.plan = nil
		names = append(names, s.url(i))
	}
	go func() { _ = s.server.Serve(s) }()
	src, err := source.Open(t.Context(), names, source.Options{Remote: s, Extensions: []string{".ppm"}})
	require.NoError(t, err)
	recorder := new(costs.Recorder)
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(10),
		Options: loader.Options{Batch: 32, Workers: 2, Observer: untimed{recorder}}})
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		recorder.Batch(b.Len(), 0)
		b.Release()
	}
	c := recorder.Costs(ld.Report())
	client := s.Stats()
	c.Requests = stats.Requests{First: client.FirstLimit, Max: client.MaxLimit}
	c.CPU = 1e-3 // the process has another clock than the bubble
	require.NoError(t, ld.Close())
	s.stop(t)
	return c
}

// A run that reads from a store predicts one in which each request takes longer: the client has few requests in flight
// at first, and more as it goes.
func TestPredictedStore(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		recorded := costsOfStore(t, 20*time.Millisecond)
		longer := []time.Duration{0, 40 * time.Millisecond, 180 * time.Millisecond}
		for _, more := range short.Of(longer, longer[2:]) {
			predicted, ok := recorded.Predict(costs.Settings{Latency: more})
			require.True(t, ok)
			measured := costsOfStore(t, 20*time.Millisecond+more)
			rate := float64(measured.Samples) / measured.Seconds
			t.Logf("%v: %.1f predicted, %.1f", more, predicted.Rate.Value, rate)
			// A run of few samples has few round trips, and may have one more.
			assert.InEpsilon(t, rate, predicted.Rate.Value, short.Of(0.15, 0.3), "%v more", more)
			assert.InEpsilon(t, measured.First, predicted.First.Value, 0.15, "%v more", more)
		}
	})
}
