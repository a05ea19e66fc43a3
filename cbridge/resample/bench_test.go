package resample_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
)

// Seconds of sound in chunks of a decoder's size; ms/s is the median of what one takes of a core, min-ms/s the least.
func BenchmarkProcess(b *testing.B) {
	mono := &resample.Matrix{In: 2, Out: 1, Weights: []float32{0.5, 0.5}}
	for _, x := range []struct {
		name    string
		in, out int
		planar  bool
		m       *resample.Matrix
		q       resample.Quality
	}{
		{"44100-16000/stereo", 44100, 16000, true, nil, resample.Default},
		{"44100-16000/mono", 44100, 16000, true, mono, resample.Default},
		{"44100-16000/s16-mono", 44100, 16000, false, mono, resample.Default},
		{"44100-16000/fast", 44100, 16000, true, nil, resample.Fast},
		{"44100-16000/best", 44100, 16000, true, nil, resample.Best},
		{"48000-16000/stereo", 48000, 16000, true, nil, resample.Default},
		{"48000-44100/stereo", 48000, 44100, true, nil, resample.Default},
		{"44100-44099/stereo", 44100, 44099, true, nil, resample.Default},
	} {
		f, err := new(resample.Filters).Get(x.in, x.out, x.q)
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
				const chunk = 1024
				src := resample.Separate(make([]float32, chunk), make([]float32, chunk))
				if !x.planar {
					src = resample.Interleaved(2, make([]int16, 2*chunk))
				}
				dst := resample.Planes{Data: make([]float32, 4*chunk), Stride: 2 * chunk}
				c := enter(b)
				defer c.Leave()
				var times []float64
				for b.Loop() {
					start := time.Now()
					for range x.in/chunk + 1 {
						if _, err := r.Process(c, dst, src, x.m); err != nil {
							b.Fatal(err)
						}
					}
					times = append(times, time.Since(start).Seconds()*1e3/float64(x.in/chunk+1)/chunk*float64(x.in))
				}
				slices.Sort(times)
				b.ReportMetric(times[0], "min-ms/s")
				b.ReportMetric(times[len(times)/2], "ms/s")
			})
		}
	}
}
