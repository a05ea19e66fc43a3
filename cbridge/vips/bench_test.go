package vips_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	floor "github.com/spoolmedia/spool/bench/floor/vips"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// BenchmarkAgainstFloor decodes a picture and has bare libvips load it, in turns, so that what else the
// machine does falls on both alike, and reports the median of their ratio.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, bench := range []struct{ name, file string }{
		{"tiff", "levels-behind.tif"}, {"heic", "collection.heic"}, {"jxl", "rgb8.jxl"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data := lanetest.Read(b, bench.file)
			format, c := extensions[filepath.Ext(bench.file)[1:]], enter(b)
			h, err := vips.ReadHeader(c, format, data, 0)
			if err != nil {
				b.Fatal(err)
			}
			pixels := make([]byte, h.Width*h.Height*3)
			steps := []func() error{
				func() error { return floor.Load(format, data) },
				func() error { _, err := vips.Decode(c, data, h, vips.Options{Pixels: pixels}); return err },
			}
			var ratios []float64
			random := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				var took [2]float64
				for _, step := range random.Perm(2) { // what ran before leaves caches warm
					start := time.Now()
					if err := steps[step](); err != nil {
						b.Fatal(err)
					}
					took[step] = time.Since(start).Seconds()
				}
				ratios = append(ratios, took[1]/took[0])
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "decode/bare")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2/float64(h.Width*h.Height), "ns/pixel")
		})
	}
}
