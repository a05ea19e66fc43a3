package png_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench/floor"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/png"
)

type photo struct {
	data []byte
	h    png.Header
}

// photos are those that make bench-media generates, or else a picture of testdata.
func photos(b *testing.B) (list []photo, largest int) {
	files, err := filepath.Glob("../../bin/bench-media/formats/*.png")
	if err != nil || len(files) == 0 {
		files = []string{"testdata/rgb8.png"}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		h, err := png.ReadHeader(data)
		if err != nil {
			b.Fatal(file, err)
		}
		list = append(list, photo{data, h})
		largest = max(largest, h.Width*h.Height*3)
	}
	return list, largest
}

// steps are what is compared, from the floor upwards.
func steps(b *testing.B, largest int) (names []string, run func(step int, p photo) error) {
	dst, scratch := make([]byte, largest), make([]byte, largest)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	decode := func(p photo, o png.Options) error {
		c, err := call.Enter(ctx, 1)
		if err != nil {
			return err
		}
		defer c.Leave()
		_, err = png.Decode(c, p.data, o)
		return err
	}
	names = []string{"header", "bare-inflate", "inflate+filter", "bare-libpng", "decode", "decode-to-sink", "decode-upper-half"}
	return names, func(step int, p photo) error {
		switch names[step] {
		case "header":
			_, err := png.ReadHeader(p.data)
			return err
		case "bare-inflate":
			return floor.PNGInflate(p.data)
		case "inflate+filter":
			return floor.PNGUnfilter(p.data)
		case "bare-libpng":
			return floor.PNG(p.data, dst)
		case "decode-to-sink":
			w, h := p.h.Width, p.h.Height
			sink, err := kernel.NewSink(&kernel.Plan{Width: w, Height: h, Channels: 3, Right: w,
				H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
				CanvasWidth: w, CanvasHeight: h, OutChannels: 3, Layout: spool.HWC}, dst[:w*h*3], scratch)
			if err != nil {
				return err
			}
			err = decode(p, png.Options{Sink: sink.Pointer(), Width: w, Height: h})
			return errors.Join(err, sink.Close())
		case "decode-upper-half":
			return decode(p, png.Options{Dst: dst, Last: p.h.Height / 2})
		default:
			return decode(p, png.Options{Dst: dst})
		}
	}
}

func BenchmarkPhotos(b *testing.B) {
	list, largest := photos(b)
	names, run := steps(b, largest)
	for step, name := range names {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			pixels, i := 0, 0
			for b.Loop() {
				p := list[i%len(list)]
				if err := run(step, p); err != nil {
					b.Fatal(err)
				}
				pixels += p.h.Width * p.h.Height
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pixels), "ns/pixel")
		})
	}
}

// BenchmarkAgainstFloor takes turns photo by photo, so that what else the machine does falls on all
// alike, and reports the median of each step's time as a multiple of the bare libpng decode's.
func BenchmarkAgainstFloor(b *testing.B) {
	list, largest := photos(b)
	names, run := steps(b, largest)
	floor := slices.Index(names, "bare-libpng")
	ratios, order := make([][]float64, len(names)), rand.New(rand.NewPCG(1, 2))
	for i := 0; b.Loop(); i++ {
		p := list[i%len(list)]
		took := make([]float64, len(names))
		for _, step := range order.Perm(len(names)) { // what ran before leaves caches warm
			start := time.Now()
			if err := run(step, p); err != nil {
				b.Fatal(err)
			}
			took[step] = time.Since(start).Seconds()
		}
		for step := range names {
			ratios[step] = append(ratios[step], took[step]/took[floor])
		}
	}
	for step, name := range names {
		slices.Sort(ratios[step])
		b.ReportMetric(ratios[step][len(ratios[step])/2], name+"/bare-libpng")
	}
}
