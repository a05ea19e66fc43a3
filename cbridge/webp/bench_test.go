package webp_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/resize"
)

const size = 224 // of the results

// benchImage is a file with its plans, which are computed once.
type benchImage struct {
	data    []byte
	h       webp.Header
	whole   *kernel.Plan // unchanged rows
	resized *kernel.Plan // to size x size
	stored  *kernel.Plan // unchanged rows of that size
	convert *kernel.PlanesPlan
	planes  *kernel.PlanesPlan // planes that are resized separately
}

// benchImages returns the lossy or the lossless images: lossy ones that make bench-media generates, or else the
// largest of testdata.
func benchImages(b *testing.B, lossless bool) (list []benchImage, largest int) {
	files := append(lanetest.Measured(b, "formats/*.webp", "large.webp"), lanetest.Read(b, "lossless.webp"))
	axes := func(w, h int) *kernel.PlaneArea {
		plan, err := resize.Spec{Width: size, Height: size}.Plan(w, h, nil)
		if err != nil {
			b.Fatal(err)
		}
		return &kernel.PlaneArea{Left: plan.Left, Top: plan.Top, H: kernel.Axis(*plan.Horizontal),
			V: kernel.Axis(*plan.Vertical)}
	}
	for _, data := range files {
		h, err := webp.ReadHeader(data)
		if err != nil {
			b.Fatal(err)
		}
		if h.Lossless != lossless {
			continue
		}
		luma, chroma := axes(h.Width, h.Height), axes((h.Width+1)/2, (h.Height+1)/2)
		p := benchImage{data: data, h: h,
			whole:  lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, lanetest.All(h.Width, h.Height)),
			stored: lanetest.Plan(size, size, lanetest.Form{Channels: 3}, lanetest.All(size, size))}
		p.resized = lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, lanetest.All(h.Width, h.Height))
		p.resized.H, p.resized.V, p.resized.CanvasWidth, p.resized.CanvasHeight = luma.H, luma.V, size, size
		p.convert = &kernel.PlanesPlan{Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
		p.planes = &kernel.PlanesPlan{Width: h.Width, Height: h.Height, SubX: 2, SubY: 2, Luma: luma, Chroma: chroma}
		list = append(list, p)
		largest = max(largest, h.Width*h.Height*3, size*size*3)
	}
	return list, largest
}

type step = lanetest.Step[benchImage]

// steps are the measured operations; the first is the floor.
func steps(b *testing.B, largest int, lossless bool) []step {
	dst, scratch, planesScratch := make([]byte, largest), make([]byte, largest), make([]byte, largest)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	decode := func(p benchImage, rows *kernel.Plan, planes *kernel.PlanesPlan, o webp.Options) error {
		sink, err := kernel.NewSink(rows, dst[:rows.CanvasWidth*rows.CanvasHeight*3], scratch)
		if err != nil {
			return err
		}
		defer sink.Close()
		if lossless {
			o.Sink = sink.Pointer()
		} else {
			s, err := kernel.NewPlanes(planes, sink.Pointer(), planesScratch)
			if err != nil {
				return err
			}
			defer s.Close()
			o.Planes = s.Pointer()
		}
		c, err := call.Enter(ctx, 1)
		if err != nil {
			return err
		}
		defer c.Leave()
		_, err = webp.Decode(c, p.data, p.h, o)
		return err
	}
	list := []step{
		{Name: "bare-rgb", Run: func(p benchImage) error { return floor.WebP(p.data, dst) }},
		{Name: "header", Run: func(p benchImage) error { _, err := webp.ReadHeader(p.data); return err }},
		{Name: "rows", Run: func(p benchImage) error { return decode(p, p.whole, p.convert, webp.Options{}) }},
		{Name: "exact-224", Run: func(p benchImage) error { return decode(p, p.resized, p.convert, webp.Options{}) }},
	}
	if lossless {
		return list
	}
	return append(list,
		step{Name: "bare-yuv", Run: func(p benchImage) error { return floor.WebPYUV(p.data, dst) }},
		step{Name: "planes-224", Run: func(p benchImage) error { return decode(p, p.stored, p.planes, webp.Options{}) }})
}

func BenchmarkLossy(b *testing.B)    { benchmark(b, false) }
func BenchmarkLossless(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, lossless bool) {
	list, largest := benchImages(b, lossless)
	for _, step := range steps(b, largest, lossless) {
		b.Run(step.Name, func(b *testing.B) {
			b.ReportAllocs()
			pixels, i, before := 0, 0, cpuTime(b)
			for b.Loop() {
				p := list[i%len(list)]
				if err := step.Run(p); err != nil {
					b.Fatal(err)
				}
				pixels += p.h.Width * p.h.Height
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pixels), "ns/pixel")
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") // less sensitive to other processes
		})
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkAgainstFloor(b *testing.B) {
	for _, lossless := range []bool{false, true} {
		b.Run(map[bool]string{false: "lossy", true: "lossless"}[lossless], func(b *testing.B) {
			list, largest := benchImages(b, lossless)
			lanetest.Turns(b, list, "bare-rgb", steps(b, largest, lossless))
		})
	}
}
