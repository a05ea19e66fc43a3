package costs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// sleeping runs the stages of a loader, which sleep, in simulated time.
func sleeping(t *testing.T, decoders, prefetch int, latency time.Duration) (r stats.Report, first time.Duration) {
	stage := func(d time.Duration) func(context.Context, int) (int, error) {
		return func(_ context.Context, n int) (int, error) {
			time.Sleep(d + time.Duration(n%5)*time.Millisecond) //nolint:forbidigo // of the bubble
			return n, nil
		}
	}
	p := pipe.New(pipe.Options{})
	numbers := make([]int, 1600)
	for i := range numbers {
		numbers[i] = i
	}
	list := pipe.FromSlice(p, "list", numbers)
	fetched := pipe.Map(list, "fetch", pipe.Stage{Workers: 8}, stage(latency+time.Millisecond))
	decoded := pipe.Map(fetched, "decode", pipe.Stage{Workers: decoders, Queue: 2 * decoders}, stage(6*time.Millisecond))
	begun := time.Now()
	for _, err := range pipe.Batch(decoded, "batch", pipe.Stage{Queue: prefetch}, 16).All(t.Context()) {
		require.NoError(t, err)
		if first == 0 {
			first = time.Since(begun)
		}
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // of the bubble
	}
	return p.Report(), first
}

// The costs of one run, from a file, predict the rate and the first batch of runs with other workers and latency.
func TestPredict(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		r, _ := sleeping(t, 2, 2, 0)
		var c Costs
		for range 100 {
			c.Add(16, 1000)
		}
		c.Take(r)
		c.Cores = 64 // sleeping needs none
		text, err := json.Marshal(c)
		require.NoError(t, err)
		name := filepath.Join(t.TempDir(), "costs.json")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		read, err := Read(name)
		require.NoError(t, err)
		for _, s := range []Settings{{}, {Workers: 4}, {Workers: 8, Prefetch: 4},
			{Workers: 8, Latency: 30 * time.Millisecond}, {Workers: 1}} {
			predicted, ok := read.Predict(s, 1600)
			require.True(t, ok)
			workers, prefetch := 2, 2
			if s.Workers > 0 {
				workers = s.Workers
			}
			if s.Prefetch > 0 {
				prefetch = s.Prefetch
			}
			actual, first := sleeping(t, workers, prefetch, s.Latency)
			assert.InEpsilon(t, 1600/actual.Elapsed.Seconds(), predicted.Rate, 0.15, "%+v", s)
			assert.InEpsilon(t, first.Seconds(), predicted.First, 0.15, "%+v", s)
			assert.InDelta(t, float64(2+prefetch+(2+3*workers+15)/16)*1e-3, predicted.MemoryMB, 1e-9)
		}
	})
}

func TestReadRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "costs.json")
	for _, text := range []string{"", "{}", `{"version":1}`, `{"version":1,"samples":1,"batch":1,"stages":[{},{"service":` +
		`{"buckets":[[-1,1]]}}]}`} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := Read(name)
		assert.ErrorContains(t, err, "no file of costs")
	}
}
