package stats_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/pipe/stats"
)

// TestQuantiles compares the histogram with exact quantiles, for very different distributions.
func TestQuantiles(t *testing.T) {
	r := seed.Rand(t)
	for name, draw := range map[string]func() time.Duration{
		"constant":    func() time.Duration { return 12345 },
		"tiny":        func() time.Duration { return time.Duration(r.IntN(32)) },
		"uniform":     func() time.Duration { return time.Duration(r.Int64N(int64(time.Second))) },
		"exponential": func() time.Duration { return time.Duration(r.ExpFloat64() * float64(time.Millisecond)) },
		"heavy tail":  func() time.Duration { return time.Duration(1 << r.IntN(41)) },
	} {
		for _, n := range []int{1, 2, 10, 1000} {
			samples := make([]time.Duration, n)
			for i := range samples {
				samples[i] = draw()
			}
			mean, quantile := summarize(samples)
			slices.Sort(samples)
			var sum time.Duration
			for _, d := range samples {
				sum += d
			}
			assert.Equal(t, sum/time.Duration(n), mean, name)
			for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
				rank := max(int(q*float64(n)+0.999999), 1)
				exact := samples[rank-1]
				assert.InDelta(t, exact, quantile(q), float64(exact)/32, "%s, n %d, q %v", name, n, q)
			}
		}
	}
	_, quantile := summarize([]time.Duration{-5, 1 << 60})
	assert.Zero(t, quantile(0.5))
	assert.InEpsilon(t, (73 * time.Minute).Seconds(), quantile(1).Seconds(), 0.05, "cut off")
	_, quantile = summarize(nil)
	assert.Zero(t, quantile(0.5))
}

// summarize returns the statistics of service times.
func summarize(samples []time.Duration) (mean time.Duration, quantile func(float64) time.Duration) {
	var parts [2]stats.Histogram // two, to be merged
	for i, d := range samples {
		parts[i%2].Add(d)
	}
	parts[0].Merge(&parts[1])
	return parts[0].Mean(), parts[0].Quantile
}
