package bench_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
)

// BenchmarkPhotos decodes photos in memory, each alternately with a step and with the floor, so that other work of the
// machine affects both. It reports the time of the step for a photo, photos a second, and the median over all photos of
// the step's time as a multiple of the floor's.
func BenchmarkPhotos(b *testing.B) {
	list := verify(b, best(b))
	for _, s := range steps(newDecoder(b)) {
		for _, goroutines := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/goroutines=%d", s.name, goroutines), func(b *testing.B) {
				var next atomic.Int64
				took := make([]duel, goroutines)
				var group sync.WaitGroup
				for g := range took {
					memory := make([]byte, largest(list))
					group.Go(func() {
						for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
							took[g].fight(b, list[i%int64(len(list))], s, memory)
						}
					})
				}
				group.Wait()
				var all duel
				for _, t := range took {
					all.step += t.step
					all.ratios = append(all.ratios, t.ratios...)
				}
				b.ReportMetric(float64(all.step.Nanoseconds())/float64(b.N), "ns/op")
				b.ReportMetric(float64(goroutines*b.N)/all.step.Seconds(), "img/s")
				b.ReportMetric(bench.Median(all.ratios), "x-floor")
			})
		}
	}
}

// duel is one goroutine's comparison of a step with the floor.
type duel struct {
	step   time.Duration
	ratios []float64
}

func (d *duel) fight(b *testing.B, p photo, s step, memory []byte) {
	measure := func(s step) time.Duration {
		start := time.Now()
		if err := s.run(p, memory); err != nil {
			b.Error(err)
		}
		return time.Since(start)
	}
	var mine, bare time.Duration
	if len(d.ratios)%2 == 0 {
		bare, mine = measure(bareRGB), measure(s)
	} else {
		mine, bare = measure(s), measure(bareRGB)
	}
	d.step += mine
	d.ratios = append(d.ratios, float64(mine)/float64(bare))
}

// BenchmarkLoader loads all photos from their files several times, alternately with the floor, which the same number of
// goroutines runs on photos in memory. One operation loads all photos. It also compares CPU time, which other work of
// the machine affects less than wall time.
func BenchmarkLoader(b *testing.B) {
	set := best(b)
	list := verify(b, set)
	times := 1200/len(list) + 1 // so many that the start has little effect
	files, list := slices.Repeat(set.Files, times), slices.Repeat(list, times)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			memory := make([][]byte, workers)
			for g := range memory {
				memory[g] = make([]byte, largest(list))
			}
			var took time.Duration
			var ratios, cpuRatios []float64
			for b.Loop() {
				bareWall, bareCPU := clocked(func() { bare(b, list, memory) })
				n := 0
				wall, cpu := clocked(func() {
					load(b, files, workers, func(pixels []byte) { n += len(pixels) / (3 * side * side) })
				})
				require.Len(b, list, n)
				took += wall
				ratios, cpuRatios = append(ratios, float64(wall)/float64(bareWall)), append(cpuRatios,
					float64(cpu)/float64(bareCPU))
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
			b.ReportMetric(float64(b.N*len(list))/took.Seconds(), "img/s")
			b.ReportMetric(bench.Median(ratios), "x-floor")
			b.ReportMetric(bench.Median(cpuRatios), "x-floor-cpu")
		})
	}
}

// clocked returns the wall time of f, and the CPU time of the process during f.
func clocked(f func()) (wall, cpu time.Duration) {
	before, start := bench.CPUTime(), time.Now()
	f()
	return time.Since(start), bench.CPUTime() - before
}

// bare decodes all photos with the floor, in a goroutine for each buffer.
func bare(b *testing.B, list []photo, memory [][]byte) {
	var next atomic.Int64
	var group sync.WaitGroup
	for _, m := range memory {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				if err := bareRGB.run(list[i], m); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
}
