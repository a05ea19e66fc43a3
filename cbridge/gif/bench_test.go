package gif_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spoolmedia/spool/bench/floor"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
)

// BenchmarkAgainstFloor takes turns with bare giflib, so that what else the machine does falls on both
// alike, and reports the median of the ratio and of our time a pixel.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, file := range []string{"testdata/noise.gif", "testdata/vga.gif"} {
		b.Run(filepath.Base(file), func(b *testing.B) {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			h, err := gif.ReadHeader(data)
			if err != nil {
				b.Fatal(err)
			}
			p := newPicture(b, h.Width, h.Height, 3)
			defer p.Close()
			dst := make([]byte, len(p.Pixels))
			var ratios, times, headers []float64
			order := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				took := [3]float64{}
				for _, step := range order.Perm(3) {
					start := time.Now()
					switch step {
					case 0:
						err = floor.GIF(data, dst)
					case 1:
						err = decodeAgain(b, data, p)
					case 2:
						_, err = gif.ReadHeader(data)
					}
					if err != nil {
						b.Fatal(err)
					}
					took[step] = float64(time.Since(start).Nanoseconds())
				}
				ratios = append(ratios, took[1]/took[0])
				times = append(times, took[1]/float64(h.Width*h.Height))
				headers = append(headers, took[2]/float64(len(data)))
			}
			for _, x := range []struct {
				list []float64
				unit string
			}{{ratios, "ours/giflib"}, {times, "ns/pixel"}, {headers, "header-ns/byte"}} {
				slices.Sort(x.list)
				b.ReportMetric(x.list[len(x.list)/2], x.unit)
			}
		})
	}
}

// decodeAgain decodes into a sink of its own: one takes a picture only once.
func decodeAgain(b *testing.B, data []byte, p *picture) error {
	again := newPicture(b, p.o.Width, p.o.Height, p.o.Channels)
	defer again.Close()
	c, err := call.Enter(b.Context(), 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	_, err = gif.Decode(c, data, again.o)
	return err
}
