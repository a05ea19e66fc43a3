package jpeg_test

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
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

type photo struct {
	data []byte
	h    jpeg.Header
}

// photos are those that make bench-media generates, or else the largest picture of testdata.
func photos(b *testing.B) (list []photo, largest int) {
	files, err := filepath.Glob("../../bin/bench-media/photos/*.jpg")
	if err != nil || len(files) == 0 {
		files = []string{"testdata/s444.jpg"}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		h, err := jpeg.ReadHeader(data)
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
	dst := make([]byte, largest)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	decode := func(p photo, o jpeg.Options) error {
		c, err := call.Enter(ctx, 1)
		if err != nil {
			return err
		}
		defer c.Leave()
		_, err = jpeg.Decode(c, p.data, o)
		return err
	}
	scratch := make([]byte, largest)
	toSink := func(p photo, left, top, right, bottom int) error {
		w, h := right-left, bottom-top
		sink, err := kernel.NewSink(&kernel.Plan{Width: p.h.Width, Height: p.h.Height, Channels: 3, Left: left, Right: right, Top: top,
			H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
			CanvasWidth: w, CanvasHeight: h, OutChannels: 3, Layout: spool.HWC}, dst[:w*h*3], scratch)
		if err != nil {
			return err
		}
		err = decode(p, jpeg.Options{Sink: sink.Pointer(), Width: p.h.Width, Height: p.h.Height})
		return errors.Join(err, sink.Close())
	}
	names = []string{"header", "bare-planar", "bare-rgb", "decode", "decode-to-sink", "decode-crop-to-sink", "decode-gray", "decode-middle-third"}
	return names, func(step int, p photo) error {
		switch names[step] {
		case "header":
			_, err := jpeg.ReadHeader(p.data)
			return err
		case "bare-planar":
			return floor.JPEGPlanar(p.data)
		case "bare-rgb":
			return floor.JPEG(p.data, dst)
		case "decode-to-sink":
			return toSink(p, 0, 0, p.h.Width, p.h.Height)
		case "decode-crop-to-sink": // half of the area, as random resized crops have on average
			w, h := p.h.Width, p.h.Height
			return toSink(p, w*3/20, h*3/20, w*17/20, h*17/20)
		case "decode-gray":
			return decode(p, jpeg.Options{Dst: dst, Color: jpeg.Gray})
		case "decode-middle-third":
			return decode(p, jpeg.Options{Dst: dst, First: p.h.Height / 3, Last: p.h.Height * 2 / 3})
		default:
			return decode(p, jpeg.Options{Dst: dst})
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
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "img/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pixels), "ns/pixel")
		})
	}
}

// BenchmarkAgainstFloor takes turns photo by photo, so that what else the machine does falls on all
// alike, and reports the median of each step's time as a multiple of the bare RGB decode's.
func BenchmarkAgainstFloor(b *testing.B) {
	list, largest := photos(b)
	names, run := steps(b, largest)
	floor := slices.Index(names, "bare-rgb")
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
		b.ReportMetric(ratios[step][len(ratios[step])/2], name+"/bare-rgb")
	}
}
