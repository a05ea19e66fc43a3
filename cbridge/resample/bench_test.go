package resample_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
)

// chunk is the usual output of a decoder.
const chunk = 1024

// perSecond returns the time of a step, in ms of one core for each second of audio, measured over about a second.
func perSecond(b *testing.B, rate, chunk int, step func() error) float64 {
	b.Helper()
	n := rate/chunk + 1
	start := time.Now()
	for range n {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start).Seconds() * 1e3 * float64(rate) / float64(n*chunk)
}

// report reports the median and the minimum.
func report(b *testing.B, times []float64, unit string) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], unit)
	b.ReportMetric(times[0], "min-"+unit)
}

// BenchmarkLevels covers each instruction set, quality and audio format.
func BenchmarkLevels(b *testing.B) {
	mono := &resample.Matrix{In: 2, Out: 1, Weights: []float32{0.7, 0.7}}
	planar := resample.Separate(noise(1, chunk), noise(2, chunk))
	long := resample.Separate(noise(1, 16*chunk), noise(2, 16*chunk))
	for _, x := range []struct {
		name    string
		in, out int
		src     resample.Samples
		m       *resample.Matrix
		q       resample.Quality
	}{
		{"stereo", 44100, 16000, planar, nil, resample.Default},
		{"mono", 44100, 16000, planar, mono, resample.Default},
		{"long-mono", 44100, 16000, long, mono, resample.Default},
		{"twice-mono", 8000, 16000, long, mono, resample.Default},
		{"third-mono", 48000, 16000, long, mono, resample.Default},
		{"s16-mono", 44100, 16000, resample.Interleaved(2, make([]int16, 2*chunk)), mono, resample.Default},
		{"fast", 44100, 16000, planar, nil, resample.Fast},
		{"best", 44100, 16000, planar, nil, resample.Best},
		{"between-phases", 44100, 44099, planar, nil, resample.Default},
	} {
		f, err := (*resample.Filters)(nil).Get(x.in, x.out, x.q)
		require.NoError(b, err)
		for level := range resample.Levels {
			b.Run(fmt.Sprintf("%s/%s", x.name, resample.LevelName(level)), func(b *testing.B) {
				channels := 2
				if x.m != nil {
					channels = 1
				}
				r, err := resample.New(f, channels)
				require.NoError(b, err)
				r.SetLevel(level)
				dst := resample.Planes{Data: make([]float32, 2*33*chunk), Stride: 33 * chunk}
				c := enter(b)
				defer c.Leave()
				var times []float64
				for b.Loop() {
					times = append(times, perSecond(b, x.in, x.src.Len,
						func() error { _, err := r.Process(c, dst, x.src, x.m); return err }))
				}
				report(b, times, "ms/s")
			})
		}
	}
}

// BenchmarkConvert measures the conversions alone, in ns for each sample of a channel.
func BenchmarkConvert(b *testing.B) {
	mono := &resample.Matrix{In: 2, Out: 1, Weights: []float32{0.7, 0.7}}
	s16 := resample.Interleaved(2, make([]int16, 2*chunk))
	planar := resample.Separate(noise(1, chunk), noise(2, chunk))
	planes := resample.Planes{Data: make([]float32, 2*chunk), Stride: chunk}
	c := enter(b)
	defer c.Leave()
	for name, step := range map[string]func(level int) error{
		"s16-mono":      func(level int) error { return resample.MixAt(c, planes, s16, mono, level) },
		"s16-stereo":    func(level int) error { return resample.MixAt(c, planes, s16, nil, level) },
		"planar-mono":   func(level int) error { return resample.MixAt(c, planes, planar, mono, level) },
		"planar-stereo": func(level int) error { return resample.MixAt(c, planes, planar, nil, level) },
		"store-s16":     func(level int) error { return resample.StoreAt(c, s16, planes, level) },
	} {
		for level := range resample.Levels {
			b.Run(fmt.Sprintf("%s/%s", name, resample.LevelName(level)), func(b *testing.B) {
				var times []float64
				for b.Loop() {
					times = append(times, perSecond(b, 44100, chunk, func() error { return step(level) })*1e6/44100)
				}
				report(b, times, "ns/sample")
			})
		}
	}
}

// BenchmarkFilter measures the design of a filter that is not in the cache.
func BenchmarkFilter(b *testing.B) {
	for _, rates := range [][2]int{{44100, 16000}, {8000, 44100}, {44100, 44099}} {
		b.Run(fmt.Sprintf("%d-%d", rates[0], rates[1]), func(b *testing.B) {
			for b.Loop() {
				_, err := (*resample.Filters)(nil).Get(rates[0], rates[1], resample.Default)
				require.NoError(b, err)
			}
		})
	}
}
