package baseline_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// sets are the files of the benchmarks.
var sets = []struct{ name, pattern string }{
	{"photos", "../../../bin/bench-media/photos/*.jpg"},
	{"large", "../../../bin/bench-media/large/*.jpg"},
	{"small", "../../../testdata/photos/*/*.jpg"},
}

// imageFiles returns the files of a pattern that are in scope, and memory for the largest.
func imageFiles(b *testing.B, pattern string) (list [][]byte, memory []byte) {
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
		need.Skip(b, need.Generated, "no images: %s", pattern)
	}
	return list, make([]byte, largest)
}

// step is a contestant of a benchmark; the first is the baseline of the others.
type step struct {
	name string
	run  func(data []byte) error
}

// alternate runs all steps on each image, in changing order, so that other load on the machine affects all alike. It
// takes the best time of each image and step, and reports their sums: microseconds an image, and the speedup over the
// first step.
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

// BenchmarkPlanes compares with libjpeg-turbo's raw planes: into memory of a few rows, and, like this engine, into
// whole planes.
func BenchmarkPlanes(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			list, dst := imageFiles(b, set.pattern)
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			alternate(b, list, []step{
				{"raw", floor.JPEGPlanar},
				{"raw-kept", func(data []byte) error { return floor.JPEGPlanes(data, dst) }},
				{"planes", func(data []byte) error { _, err := e.Planes(c, data, dst); return err }},
			})
		})
	}
}

// BenchmarkRows compares with libjpeg-turbo to RGB and nothing else. Rows go to a sink that stores them: those of the
// whole image, and of half its area, the average of random resized crops.
func BenchmarkRows(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			list, planes := imageFiles(b, set.pattern)
			dst, scratch := make([]byte, 3*len(planes)), make([]byte, len(planes))
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			into := func(part func(w, h int) area,
				decode func(data []byte, w, h int, sink unsafe.Pointer) error) func(data []byte) error {
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
				{"rgb", func(data []byte) error { return floor.JPEG(data, dst) }},
				{"turbo", into(whole, turbo)},
				{"rows", into(whole, ours)},
				{"turbo-crop", into(half, turbo)},
				{"rows-crop", into(half, ours)},
			})
		})
	}
}

// cpuTime returns the CPU time of the process so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkLevels decodes all photos to planes with the kernels of one level, then with those of the next, so that
// no picture is decoded twice in succession. It reports the least CPU time of all rounds, and the median of each
// level's time as a multiple of that of the level in use, in the same round.
func BenchmarkLevels(b *testing.B) {
	list, dst := imageFiles(b, sets[0].pattern)
	c := enter(b)
	took := make([][]float64, baseline.Levels())
	for b.Loop() {
		for level := range took {
			e := baseline.NewOf(level)
			start := cpuTime(b)
			for _, data := range list {
				if _, err := e.Planes(c, data, dst); err != nil {
					b.Fatal(err)
				}
			}
			took[level] = append(took[level], (cpuTime(b) - start).Seconds())
			e.Close()
		}
	}
	for level, times := range took {
		name := baseline.LevelName(level)
		ratios := slices.Clone(times)
		for i := range ratios {
			ratios[i] /= took[baseline.Best()][i]
		}
		slices.Sort(ratios)
		b.ReportMetric(1e6*slices.Min(times)/float64(len(list)), name+"-us")
		b.ReportMetric(ratios[len(ratios)/2], name+"-x")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkResized compares all of package decode, to 224x224, with libjpeg-turbo to RGB and nothing else.
func BenchmarkResized(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			list, planes := imageFiles(b, set.pattern)
			rgb, dst := make([]byte, 3*len(planes)), make([]byte, 3*224*224)
			d, err := decoders.New(decoders.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			spec := func(p resize.Profile, crop bool) image.Spec {
				s := image.Spec{Resize: resize.Spec{Width: 224, Height: 224, Profile: p}}
				if crop { // the same crop for the same size
					s.Draw = func(w, h int) (resize.Spec, error) {
						r := order.NewRand(1, 2, uint64(w), uint64(h))
						cropped := s.Resize
						cropped.Box = resize.RandomResizedCrop{}.Draw(&r, w, h)
						return cropped, nil
					}
				}
				return s
			}
			steps := []step{{"rgb", func(data []byte) error { return floor.JPEG(data, rgb) }}}
			for name, s := range map[string]image.Spec{
				"exact": spec(resize.Exact, false), "exact-crop": spec(resize.Exact, true),
				"fast": spec(resize.Fast, false), "fast-crop": spec(resize.Fast, true),
			} {
				steps = append(steps, step{name, func(data []byte) error {
					_, err := d.Images.DecodeInto(b.Context(), spool.Bytes{Data: data}, dst, s)
					return err
				}})
			}
			alternate(b, list, steps)
		})
	}
}

// BenchmarkThreads compares two threads with one, each of which decodes all images of a set, to planes and to 224x224.
// libjpeg-turbo is measured as well, because the speedup also depends on the machine. The fastest round counts.
func BenchmarkThreads(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			list, planes := imageFiles(b, set.pattern)
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			d, err := decoders.New(decoders.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			spec := image.Spec{Resize: resize.Spec{Width: 224, Height: 224}}
			memory := [][]byte{planes, make([]byte, len(planes))}
			steps := []struct {
				name string
				run  func(data, dst []byte) error
			}{
				{"raw-kept", floor.JPEGPlanes},
				{"planes", func(data, dst []byte) error { _, err := e.Planes(c, data, dst); return err }},
				{"exact", func(data, dst []byte) error {
					_, err := d.Images.DecodeInto(b.Context(), spool.Bytes{Data: data}, dst[:3*224*224], spec)
					return err
				}},
			}
			best := slices.Repeat([][2]time.Duration{{time.Hour, time.Hour}}, len(steps))
			for b.Loop() {
				for s, step := range steps {
					for threads := range memory {
						var all sync.WaitGroup
						start := time.Now()
						for first, dst := range memory[:1+threads] {
							all.Go(func() {
								for i := range list { // in different orders
									if err := step.run(list[(i+first*len(list)/2)%len(list)], dst); err != nil {
										b.Error(err)
									}
								}
							})
						}
						all.Wait()
						best[s][threads] = min(best[s][threads], time.Since(start))
					}
				}
			}
			for s, step := range steps {
				b.ReportMetric(float64(best[s][0].Microseconds())/float64(len(list)), step.name+"-us")
				b.ReportMetric(2*best[s][0].Seconds()/best[s][1].Seconds(), step.name+"-two-x")
			}
		})
	}
}
