package jp2_test

import (
	"slices"
	"testing"
	"time"

	"github.com/spoolmedia/spool/bench/floor"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// BenchmarkAgainstFloor takes turns with the bare library, which makes planes, and reports the median of the ratios. A
// large picture is decoded in bands.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, name := range []string{"rgb.jp2", "tiles.jp2", "large.jp2"} {
		b.Run(name, func(b *testing.B) {
			data := lanetest.Read(b, name)
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				if _, err := whole(b, data, 3); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				if err := floor.JP2(data); err != nil {
					b.Fatal(err)
				}
				ratios = append(ratios, float64(between.Sub(start))/float64(time.Since(between)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ours/bare-planes")
		})
	}
}
