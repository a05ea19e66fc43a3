package lanetest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Step is something that a benchmark compares.
type Step[P any] struct {
	Name string
	Run  func(p P) error
}

// Turns takes turns picture by picture, so that what else the machine does falls on all steps alike, and reports the median
// of each step's time as a multiple of that of the named step.
func Turns[P any](b *testing.B, pictures []P, floor string, steps []Step[P]) {
	bare := slices.IndexFunc(steps, func(s Step[P]) bool { return s.Name == floor })
	ratios, order := make([][]float64, len(steps)), rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		p := pictures[i%len(pictures)]
		took := make([]float64, len(steps))
		for _, k := range order.Perm(len(steps)) { // what ran before leaves caches warm
			start := time.Now()
			if err := steps[k].Run(p); err != nil {
				b.Fatal(err)
			}
			took[k] = time.Since(start).Seconds()
		}
		for k := range steps {
			ratios[k] = append(ratios[k], took[k]/took[bare])
		}
	}
	for k, s := range steps {
		slices.Sort(ratios[k])
		b.ReportMetric(ratios[k][len(ratios[k])/2], s.Name+"/"+floor)
	}
}

// Pixels runs a step on one picture after the other, and reports its rate and its time a pixel.
func Pixels[P any](b *testing.B, pictures []P, size func(p P) int, s Step[P]) {
	b.ReportAllocs()
	pixels, i := 0, 0
	for b.Loop() {
		p := pictures[i%len(pictures)]
		if err := s.Run(p); err != nil {
			b.Fatal(err)
		}
		pixels += size(p)
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "img/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pixels), "ns/pixel")
}
