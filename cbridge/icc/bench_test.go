package icc_test

import (
	"fmt"
	"testing"

	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// BenchmarkRows measures the conversion per pixel, and BenchmarkNewSink the cost of a profile.
func BenchmarkRows(b *testing.B) {
	for _, name := range []string{"display-p3", "rgb-table", "gray-1.8", "cmyk-table"} {
		color := profiles[name].color
		for _, bits := range []int{8, 16} {
			b.Run(fmt.Sprintf("%s-%d", name, bits), func(b *testing.B) {
				const width = 512
				o := icc.Options{Color: color, Channels: layouts[color][0], Width: width, Bits: bits}
				in := rows(lanetest.Read(b, "pixels.bin"), o)[:width*o.Channels*bits/8]
				profile, c, transforms := lanetest.Read(b, name+".icc"), enter(b), newTransforms(b)
				var sink *icc.Sink
				pushed := side
				for b.Loop() {
					if pushed == side { // the image is complete
						if sink != nil {
							sink.Close()
						}
						out := len(in)
						if color == icc.CMYK {
							out = out / 4 * 3
						}
						next, _ := keep(b, out)
						var err error
						b.StopTimer()
						if sink, err = transforms.NewSink(c, next.Pointer(), profile, o); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
						pushed = 0
					}
					if _, err := sink.Push(in, len(in), 1); err != nil {
						b.Fatal(err)
					}
					pushed++
				}
				sink.Close()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/width, "ns/pixel")
			})
		}
	}
}

func BenchmarkNewSink(b *testing.B) {
	for name, profile := range profiles {
		b.Run(name, func(b *testing.B) {
			data, c := lanetest.Read(b, name+".icc"), enter(b)
			next, _ := keep(b, 96)
			for b.Loop() {
				var transforms icc.Transforms
				sink, err := transforms.NewSink(c, next.Pointer(), data,
					icc.Options{Color: profile.color, Channels: 4, Width: side / 4})
				if err != nil {
					b.Fatal(err)
				}
				sink.Close()
				transforms.Close()
			}
		})
	}
}
