package png_test

import (
	"context"
	"errors"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

type photo = lanetest.Measurable[png.Header]

// photos returns the files that make bench-media generates, or else one of testdata, and the bytes of the largest.
func photos(b *testing.B) (list []photo, largest int) {
	list, largest = lanetest.MeasuredImages(b, "formats/*.png", "rgb8.png", png.ReadHeader, pixels)
	return list, largest * 3
}

func pixels(h *png.Header) int { return h.Width * h.Height }

// steps are the measured operations, beginning with the floor.
func steps(b *testing.B, largest int) []lanetest.Step[photo] {
	dst, scratch := make([]byte, largest), make([]byte, largest)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	decode := func(p photo, o png.Options) error {
		c, err := call.Enter(ctx, 1)
		if err != nil {
			return err
		}
		defer c.Leave()
		_, err = png.Decode(c, p.Data, o)
		return err
	}
	return []lanetest.Step[photo]{
		{Name: "header", Run: func(p photo) error {
			_, err := png.ReadHeader(p.Data)
			return err
		}},
		{Name: "bare-inflate", Run: func(p photo) error { return floor.PNGInflate(p.Data) }},
		{Name: "inflate+filter", Run: func(p photo) error { return floor.PNGUnfilter(p.Data) }},
		{Name: "bare-libpng", Run: func(p photo) error { return floor.PNG(p.Data, dst) }},
		{Name: "decode", Run: func(p photo) error { return decode(p, png.Options{Dst: dst}) }},
		{Name: "decode-to-sink", Run: func(p photo) error {
			w, h := p.Header.Width, p.Header.Height
			sink, err := kernel.NewSink(&kernel.Plan{Width: w, Height: h, Channels: 3, Right: w,
				H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
				CanvasWidth: w, CanvasHeight: h, OutChannels: 3, Layout: spool.HWC}, dst[:w*h*3], scratch)
			if err != nil {
				return err
			}
			err = decode(p, png.Options{Sink: sink.Pointer(), Width: w, Height: h})
			return errors.Join(err, sink.Close())
		}},
		{Name: "decode-upper-half", Run: func(p photo) error {
			return decode(p,
				png.Options{Dst: dst, Last: p.Header.Height / 2})
		}},
	}
}

func BenchmarkPhotos(b *testing.B) {
	list, largest := photos(b)
	lanetest.Each(b, list, func(p photo) int { return pixels(&p.Header) }, steps(b, largest))
}

func BenchmarkAgainstFloor(b *testing.B) {
	list, largest := photos(b)
	lanetest.Turns(b, list, "bare-libpng", steps(b, largest))
}
