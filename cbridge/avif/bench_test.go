package avif_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spoolmedia/spool/bench/floor"
)

// BenchmarkAgainstFloor takes turns with bare libavif, so that what else the machine does falls on all
// alike, and reports the medians of the ratios and of our time a pixel.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, file := range []string{"testdata/tiles.avif"} {
		b.Run(filepath.Base(file), func(b *testing.B) {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			h := open(b, data).Header()
			dst := make([]byte, h.Width*h.Height*3)
			var planar, ours, times []float64
			order := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				took := [3]float64{}
				for _, step := range order.Perm(len(took)) {
					start := time.Now()
					switch step {
					case 0:
						err = floor.AVIF(data, dst)
					case 1:
						err = floor.AVIFPlanar(data)
					case 2:
						err = first(b, data)
					}
					if err != nil {
						b.Fatal(err)
					}
					took[step] = float64(time.Since(start).Nanoseconds())
				}
				planar = append(planar, took[1]/took[0])
				ours = append(ours, took[2]/took[0])
				times = append(times, took[2]/float64(h.Width*h.Height))
			}
			for _, x := range []struct {
				list []float64
				unit string
			}{{planar, "bare-planar/bare-rgb"}, {ours, "ours/bare-rgb"}, {times, "ns/pixel"}} {
				slices.Sort(x.list)
				b.ReportMetric(x.list[len(x.list)/2], x.unit)
			}
		})
	}
}
