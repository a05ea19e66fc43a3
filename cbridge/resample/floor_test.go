//go:build !nofloor

package resample_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/floor/media"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// BenchmarkAgainstFloor alternates with bare swresample, on stereo in chunks of a decoder's size, so that other load of
// the machine affects both.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {48000, 44100}, {16000, 48000}, {44100, 44099}} {
		in, out := rates[0], rates[1]
		b.Run(fmt.Sprintf("%d-%d", in, out), func(b *testing.B) {
			f, err := (*resample.Filters)(nil).Get(in, out, resample.Default)
			require.NoError(b, err)
			ours, err := resample.New(f, 2)
			require.NoError(b, err)
			floor, err := media.OpenResampler(in, out, 2)
			require.NoError(b, err)
			defer floor.Close()
			audio := noise(1, 2*chunk)
			src := resample.Planes{Data: audio, Stride: chunk}
			planes := resample.Separate(audio[:chunk], audio[chunk:])
			dst := resample.Planes{Data: make([]float32, 20*chunk), Stride: 10 * chunk}
			c := enter(b)
			defer c.Leave()
			steps := [2]func() error{
				func() error { _, err := floor.Process(dst, src, chunk); return err },
				func() error { _, err := ours.Process(c, dst, planes, nil); return err },
			}
			var times [2][]float64
			var ratios []float64
			order := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				var took [2]float64
				for _, i := range order.Perm(2) {
					took[i] = perSecond(b, in, chunk, steps[i])
					times[i] = append(times[i], took[i])
				}
				ratios = append(ratios, took[1]/took[0])
			}
			report(b, times[0], "swr-ms/s")
			report(b, times[1], "ms/s")
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ours/swr")
		})
	}
}
