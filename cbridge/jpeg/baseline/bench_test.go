package baseline_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

// pictures are the files of a pattern that are in scope, and memory for the largest.
func pictures(b *testing.B, pattern string) (list [][]byte, memory []byte) {
	b.Helper()
	largest := 0
	for _, file := range picked(b, pattern) {
		data := read(b, file)
		if l, reason := baseline.ReadLayout(data); reason == baseline.Decoded {
			list = append(list, data)
			largest = max(largest, l.Bytes())
		}
	}
	if len(list) == 0 {
		b.Skip("no pictures: ", pattern)
	}
	return list, make([]byte, largest)
}

// step is one of the ways that a benchmark compares; the first is what the others are measured by.
type step struct {
	name string
	run  func(data []byte) error
}

// alternate runs the steps picture by picture in changing order, so that what else the machine does falls on all
// alike, takes each picture's best time in each step, and reports their sums: microseconds a picture, and how
// many times faster than the first step.
func alternate(b *testing.B, list [][]byte, steps []step) {
	order := rand.New(rand.NewPCG(1, 2))
	best := make([][]float64, len(steps))
	for i := range best {
		best[i] = slices.Repeat([]float64{1e9}, len(list))
	}
	for i := 0; b.Loop(); i++ {
		k := i % len(list)
		for _, s := range order.Perm(len(steps)) {
			start := time.Now()
			if err := steps[s].run(list[k]); err != nil {
				b.Fatal(err)
			}
			best[s][k] = min(best[s][k], time.Since(start).Seconds())
		}
	}
	sums := make([]float64, len(steps))
	for s := range steps {
		for k := range min(b.N, len(list)) {
			sums[s] += best[s][k]
		}
		b.ReportMetric(1e6*sums[s]/float64(min(b.N, len(list))), steps[s].name+"-us")
		if s > 0 {
			b.ReportMetric(sums[0]/sums[s], steps[s].name+"-x")
		}
	}
}

// BenchmarkPlanes compares with libjpeg-turbo's raw planes: into memory of a few rows, and into whole planes, as here.
func BenchmarkPlanes(b *testing.B) {
	for _, set := range []struct{ name, pattern string }{
		{"photos", "../../../../shared/media/photos/*.jpg"},
		{"large", "../../../../shared/media/large/*.jpg"},
		{"small", "../../../testdata/photos/*/*.jpg"},
	} {
		b.Run(set.name, func(b *testing.B) {
			list, dst := pictures(b, set.pattern)
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			alternate(b, list, []step{
				{"raw", jpeg.FloorPlanar},
				{"raw-kept", func(data []byte) error { return jpeg.FloorPlanes(data, dst) }},
				{"planes", func(data []byte) error { _, err := e.Planes(c, data, dst); return err }},
			})
		})
	}
}

// BenchmarkRows compares with libjpeg-turbo to RGB and nothing else: rows into a sink that stores them, of the whole
// picture and of half its area, as random resized crops have on average.
func BenchmarkRows(b *testing.B) {
	for _, set := range []struct{ name, pattern string }{
		{"photos", "../../../../shared/media/photos/*.jpg"},
		{"large", "../../../../shared/media/large/*.jpg"},
		{"small", "../../../testdata/photos/*/*.jpg"},
	} {
		b.Run(set.name, func(b *testing.B) {
			list, planes := pictures(b, set.pattern)
			dst, scratch := make([]byte, 3*len(planes)), make([]byte, len(planes))
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			into := func(part func(w, h int) area, decode func(data []byte, w, h int, sink unsafe.Pointer) error) func(data []byte) error {
				return func(data []byte) error {
					h, err := jpeg.ReadHeader(data)
					if err != nil {
						return err
					}
					a := part(h.Width, h.Height)
					sink := window(b, h.Width, h.Height, 3, a, dst[:3*a.width()*a.height()], scratch)
					defer sink.Close()
					return decode(data, h.Width, h.Height, sink.Pointer())
				}
			}
			ours := func(data []byte, w, h int, sink unsafe.Pointer) error {
				_, err := e.Decode(c, data, baseline.Options{Sink: sink, Width: w, Height: h})
				return err
			}
			turbo := func(data []byte, w, h int, sink unsafe.Pointer) error {
				_, err := jpeg.Decode(c, data, jpeg.Options{Sink: sink, Width: w, Height: h})
				return err
			}
			whole := func(w, h int) area { return area{0, 0, w, h} }
			half := func(w, h int) area { return area{w * 3 / 20, h * 3 / 20, w * 17 / 20, h * 17 / 20} }
			alternate(b, list, []step{
				{"rgb", func(data []byte) error { return jpeg.FloorRGB(data, dst) }},
				{"turbo", into(whole, turbo)},
				{"rows", into(whole, ours)},
				{"turbo-crop", into(half, turbo)},
				{"rows-crop", into(half, ours)},
			})
		})
	}
}
