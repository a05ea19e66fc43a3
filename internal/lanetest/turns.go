package lanetest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Measured reads the files that match a pattern in the output of make bench-media, or else one file of testdata.
func Measured(b *testing.B, pattern, other string) (all [][]byte) {
	b.Helper()
	files, err := filepath.Glob("../../bin/bench-media/" + pattern)
	if err != nil || len(files) == 0 {
		files = []string{filepath.Join("testdata", other)}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

// Measurable is an image file with its header.
type Measurable[H any] struct {
	Data   []byte
	Header H
}

// MeasuredImages returns the files of Measured with their headers, and the size of the largest in pixels.
func MeasuredImages[H any](b *testing.B, pattern, other string, read func([]byte) (H, error),
	pixels func(*H) int) (list []Measurable[H], largest int) {
	b.Helper()
	for _, data := range Measured(b, pattern, other) {
		h, err := read(data)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, Measurable[H]{data, h})
		largest = max(largest, pixels(&h))
	}
	return list, largest
}

// Step is one contestant of a benchmark.
type Step[P any] struct {
	Name string
	Run  func(p P) error
}

// Turns runs all steps on each image in turn, so that other load on the machine affects all steps alike. It reports the
// median ratio of each step's time to that of the step named floor. It returns the median time of each step in
// nanoseconds.
func Turns[P any](b *testing.B, images []P, floor string, steps []Step[P]) (medians map[string]float64) {
	bare := slices.IndexFunc(steps, func(s Step[P]) bool { return s.Name == floor })
	times, ratios, order := make([][]float64, len(steps)), make([][]float64, len(steps)), rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		p := images[i%len(images)]
		took := make([]float64, len(steps))
		for _, k := range order.Perm(len(steps)) { // the previous step leaves caches warm
			start := time.Now()
			if err := steps[k].Run(p); err != nil {
				b.Fatal(err)
			}
			took[k] = float64(time.Since(start).Nanoseconds())
		}
		for k := range steps {
			times[k], ratios[k] = append(times[k], took[k]), append(ratios[k], took[k]/took[bare])
		}
	}
	medians = map[string]float64{}
	for k, s := range steps {
		slices.Sort(ratios[k])
		slices.Sort(times[k])
		b.ReportMetric(ratios[k][len(ratios[k])/2], s.Name+"/"+floor)
		medians[s.Name] = times[k][len(times[k])/2]
	}
	return medians
}

// Each runs each step alone on all images in turn, and reports its throughput and its time a pixel.
func Each[P any](b *testing.B, images []P, pixels func(p P) int, steps []Step[P]) {
	for _, s := range steps {
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			all, i := 0, 0
			for b.Loop() {
				p := images[i%len(images)]
				if err := s.Run(p); err != nil {
					b.Fatal(err)
				}
				all += pixels(p)
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "img/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(all), "ns/pixel")
		})
	}
}
