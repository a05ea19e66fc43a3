package loader_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// BenchmarkRemote compares photos from a server on this machine, with several latencies, with local files. Two workers
// decode. The first third of a run is not counted, except for the first batch, because the client tunes its number of
// requests meanwhile. At 100 ms the throughput must be at least 0.9 of that at 0 ms.
func BenchmarkRemote(b *testing.B) {
	n := 9600
	if testing.Short() {
		n /= 10
	}
	names := photoFiles(b)
	run := func(src source.Source) (rate, first float64) {
		begin := time.Now()
		var from time.Time
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(224), Options: loader.Options{Workers: 2}})
		require.NoError(b, err)
		given := 0
		for batch, err := range ld.Batches(b.Context()) {
			require.NoError(b, err)
			if given == 0 {
				first = time.Since(begin).Seconds()
			}
			given += batch.Len()
			batch.Release()
			if given == n/3 {
				from = time.Now()
			}
		}
		rate = float64(given-n/3) / time.Since(from).Seconds()
		b.Log(ld.Report().Verdict())
		for _, s := range ld.Report().Stages {
			b.Logf("%-7s workers %3d items %5d mean %8.3f p50 %8.3f p99 %8.3f ms occupancy %.2f queue %.2f in %.2f out %.2f",
				s.Name, s.Workers, s.Items, s.MeanMS, s.P50MS, s.P99MS, s.Occupancy, s.Queue, s.WaitInS, s.WaitOutS)
		}
		require.NoError(b, ld.Close())
		return rate, first
	}
	b.Run("local", func(b *testing.B) {
		for b.Loop() {
			rate, first := run(source.Files(repeated(names, n)...))
			b.ReportMetric(rate, "photos/s")
			b.ReportMetric(1000*first, "ms-first")
		}
	})
	for _, latency := range []int{0, 20, 100, 200} {
		for _, asked := range []bool{false, true} {
			name := fmt.Sprintf("%dms", latency)
			if asked {
				name += "-asked"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					w := serveFiles(b, names, n, object.Options{})
					w.latency = time.Duration(latency) * time.Millisecond
					var src source.Source = w.listed(b, source.Options{})
					if asked {
						src = w.named(b)
					}
					rate, first := run(src)
					b.ReportMetric(rate, "photos/s")
					b.ReportMetric(1000*first, "ms-first")
					b.Logf("most at a time %d, %+v", w.most.Load(), w.Stats())
				}
			})
		}
	}
}
