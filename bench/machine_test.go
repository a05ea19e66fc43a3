package bench_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/internal/bubble"
)

func TestAwaitQuiet(t *testing.T) {
	for name, test := range map[string]struct {
		loads []float64 // the last one remains
		most  time.Duration
		waits time.Duration
		ends  float64
		says  string
	}{
		"quiet":         {[]float64{0.49}, time.Hour, 0, 0.49, ""},
		"becomes quiet": {[]float64{3, 0.7, 0.51, 0.5, 9}, time.Hour, 15 * time.Second, 0.5, ""},
		"stays busy": {[]float64{3, 0.51}, 10 * time.Minute, 10 * time.Minute, 0.51,
			"bench: the load is 0.51: figures will be noisy\n"},
		"does not wait": {[]float64{2.125}, 0, 0, 2.125, "bench: the load is 2.12: figures will be noisy\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				load := func() float64 {
					now := test.loads[0]
					if len(test.loads) > 1 {
						test.loads = test.loads[1:]
					}
					return now
				}
				var out bytes.Buffer
				begun := time.Now()
				assert.InDelta(t, test.ends, bench.AwaitQuiet(t.Context(), &out, test.most, load), 0)
				assert.Equal(t, test.waits, time.Since(begun))
				assert.Equal(t, test.says, out.String())
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bench.AwaitQuiet(ctx, new(bytes.Buffer), time.Hour, func() float64 { return 1 })
}
