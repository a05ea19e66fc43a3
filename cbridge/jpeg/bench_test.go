package jpeg_test

import (
	"context"
	"errors"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
)

type photo struct {
	data []byte
	h    jpeg.Header
}

// photos returns the photos that make bench-media generates, or else the largest image of testdata.
func photos(b *testing.B) (list []photo, largest int) {
	for _, data := range lanetest.Measured(b, "photos/*.jpg", "s444.jpg") {
		h, err := jpeg.ReadHeader(data)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, photo{data, h})
		largest = max(largest, h.Width*h.Height*3)
	}
	return list, largest
}

// steps are the contestants, from the floor upwards.
func steps(b *testing.B, largest int) []lanetest.Step[photo] {
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
		sink, err := kernel.NewSink(&kernel.Plan{Width: p.h.Width, Height: p.h.Height, Channels: 3, Left: left, Right: right,
			Top: top,
			H:   kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
			CanvasWidth: w, CanvasHeight: h, OutChannels: 3, Layout: spool.HWC}, dst[:w*h*3], scratch)
		if err != nil {
			return err
		}
		err = decode(p, jpeg.Options{Sink: sink.Pointer(), Width: p.h.Width, Height: p.h.Height})
		return errors.Join(err, sink.Close())
	}
	return []lanetest.Step[photo]{
		{Name: "header", Run: func(p photo) error {
			_, err := jpeg.ReadHeader(p.data)
			return err
		}},
		{Name: "bare-planar", Run: func(p photo) error { return floor.JPEGPlanar(p.data) }},
		{Name: "bare-rgb", Run: func(p photo) error { return floor.JPEG(p.data, dst) }},
		{Name: "decode", Run: func(p photo) error { return decode(p, jpeg.Options{Dst: dst}) }},
		{Name: "decode-to-sink", Run: func(p photo) error { return toSink(p, 0, 0, p.h.Width, p.h.Height) }},
		{Name: "decode-crop-to-sink", Run: func(p photo) error { // half of the area, the average of random resized crops
			w, h := p.h.Width, p.h.Height
			return toSink(p, w*3/20, h*3/20, w*17/20, h*17/20)
		}},
		{Name: "decode-gray", Run: func(p photo) error { return decode(p, jpeg.Options{Dst: dst, Color: jpeg.Gray}) }},
		{Name: "decode-middle-third", Run: func(p photo) error {
			return decode(p, jpeg.Options{Dst: dst, First: p.h.Height / 3, Last: p.h.Height * 2 / 3})
		}},
	}
}

func BenchmarkPhotos(b *testing.B) {
	list, largest := photos(b)
	lanetest.Each(b, list, func(p photo) int { return p.h.Width * p.h.Height }, steps(b, largest))
}

func BenchmarkAgainstFloor(b *testing.B) {
	list, largest := photos(b)
	lanetest.Turns(b, list, "bare-rgb", steps(b, largest))
}
