package lanetest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Measured are the files of a pattern that make bench-media generates, or else one of testdata.
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

// Step is something that a benchmark compares.
type Step[P any] struct {
	Name string
	Run  func(p P) error
}

// Turns takes turns picture by picture, so that what else the machine does falls on all steps alike, and reports the median
// of each step's time as a multiple of that of the named step. It gives the median of each step's time in nanoseconds.
func Turns[P any](b *testing.B, pictures []P, floor string, steps []Step[P]) (medians map[string]float64) {
	bare := slices.IndexFunc(steps, func(s Step[P]) bool { return s.Name == floor })
	times, ratios, order := make([][]float64, len(steps)), make([][]float64, len(steps)), rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		p := pictures[i%len(pictures)]
		took := make([]float64, len(steps))
		for _, k := range order.Perm(len(steps)) { // what ran before leaves caches warm
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

// Each runs each step by itself on one picture after the other, and reports its rate and its time a pixel.
func Each[P any](b *testing.B, pictures []P, pixels func(p P) int, steps []Step[P]) {
	for _, s := range steps {
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			all, i := 0, 0
			for b.Loop() {
				p := pictures[i%len(pictures)]
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
