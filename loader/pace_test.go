package loader_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// A loop that takes 1,700 samples a second gets at least 0.9 of that from a server with a latency of 100 or 200 ms. The
// client finds out how many requests this takes. Objects are listed, or must be looked up. The first 50 batches are for
// the client's search, and are not counted. In short mode, an eighth of the samples takes as long.
func TestRateOfARemoteServer(t *testing.T) {
	const size = 32
	slower := short.Of(1, 8)
	step, begin := time.Duration(slower*size)*time.Second/1700, 50/slower
	for latency, listed := range map[time.Duration]bool{100 * time.Millisecond: true, 200 * time.Millisecond: false} {
		bubble.Test(t, func(t *testing.T) {
			o := object.Options{}
			if !listed {
				o.MaxInFlight = 1024 // 1,700 a second with two requests each are 680 in flight
			}
			s := newFlaky(rand.New(rand.NewPCG(1, 2)), 3200/slower, o)
			s.latency = latency
			for _, f := range s.files {
				f.plan = nil
			}
			go func() { _ = s.server.Serve(s) }()
			names := []string{"http://store/"}
			if !listed {
				names = nil
				for i := range s.files {
					names = append(names, s.url(i))
				}
			}
			src, err := source.Open(t.Context(), names, source.Options{Remote: s, Extensions: []string{".ppm"}})
			require.NoError(t, err)
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(10), Options: loader.Options{Batch: size, Workers: 2}})
			require.NoError(t, err)
			batches, trips, start := 0, 0.0, time.Now()
			var from time.Time
			for b, err := range ld.Batches(t.Context()) {
				require.NoError(t, err)
				if batches == 0 {
					trips = time.Since(start).Seconds() / latency.Seconds()
				}
				if batches == begin {
					from = time.Now()
				}
				batches++
				time.Sleep(step) //nolint:forbidigo // of the bubble
				b.Release()
			}
			rate := float64(batches-begin) * step.Seconds() / time.Since(from).Seconds()
			require.GreaterOrEqual(t, rate, 0.9, "of the rate at none, at %v, listed %v: %+v", latency, listed, s.Stats())
			require.Less(t, trips, 2.2, "round trips until the first batch")
			t.Logf("%v, listed %v: %.3f of the rate, first batch after %.2f round trips, %+v", latency, listed, rate, trips,
				s.Stats())
			require.NoError(t, ld.Close())
			s.stop(t)
		})
	}
}
