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

type photo = lanetest.Measurable[jpeg.Header]

// photos returns the files that make bench-media generates, or else one of testdata, and the bytes of the largest.
func photos(b *testing.B) (list []photo, largest int) {
	list, largest = lanetest.MeasuredImages(b, "photos/*.jpg", "s444.jpg", jpeg.ReadHeader, pixels)
	return list, largest * 3
}

func pixels(h *jpeg.Header) int { return h.Width * h.Height }

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
		_, err = jpeg.Decode(c, p.Data, o)
		return err
	}
	scratch := make([]byte, largest)
	toSink := func(p photo, left, top, right, bottom int) error {
		w, h := right-left, bottom-top
		sink, err := kernel.NewSink(&kernel.Plan{Width: p.Header.Width, Height: p.Header.Height, Channels: 3, Left: left,
			Right: right,
			Top:   top,
			H:     kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
			CanvasWidth: w, CanvasHeight: h, OutChannels: 3, Layout: spool.HWC}, dst[:w*h*3], scratch)
		if err != nil {
			return err
		}
		err = decode(p, jpeg.Options{Sink: sink.Pointer(), Width: p.Header.Width, Height: p.Header.Height})
		return errors.Join(err, sink.Close())
	}
	return []lanetest.Step[photo]{
		{Name: "header", Run: func(p photo) error {
			_, err := jpeg.ReadHeader(p.Data)
			return err
		}},
		{Name: "bare-planar", Run: func(p photo) error { return floor.JPEGPlanar(p.Data) }},
		{Name: "bare-rgb", Run: func(p photo) error { return floor.JPEG(p.Data, dst) }},
		{Name: "decode", Run: func(p photo) error { return decode(p, jpeg.Options{Dst: dst}) }},
		{Name: "decode-to-sink", Run: func(p photo) error { return toSink(p, 0, 0, p.Header.Width, p.Header.Height) }},
		{Name: "decode-crop-to-sink", Run: func(p photo) error { // half of the area, the average of random resized crops
			w, h := p.Header.Width, p.Header.Height
			return toSink(p, w*3/20, h*3/20, w*17/20, h*17/20)
		}},
		{Name: "decode-gray", Run: func(p photo) error { return decode(p, jpeg.Options{Dst: dst, Color: jpeg.Gray}) }},
		{Name: "decode-middle-third", Run: func(p photo) error {
			return decode(p, jpeg.Options{Dst: dst, First: p.Header.Height / 3, Last: p.Header.Height * 2 / 3})
		}},
	}
}

func BenchmarkPhotos(b *testing.B) {
	list, largest := photos(b)
	lanetest.Each(b, list, func(p photo) int { return pixels(&p.Header) }, steps(b, largest))
}

func BenchmarkAgainstFloor(b *testing.B) {
	list, largest := photos(b)
	lanetest.Turns(b, list, "bare-rgb", steps(b, largest))
}
