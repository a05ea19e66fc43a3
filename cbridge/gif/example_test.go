package gif_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func Example() {
	data, err := os.ReadFile("testdata/animation01.gif")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := gif.ReadHeader(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Width, h.Height, h.Frames, h.Duration)

	animation, err := gif.Open(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer animation.Close()
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()

	// The third frame, composed after the first two.
	plan := kernel.Plan{Width: h.Width, Height: h.Height, Channels: 3, Right: h.Width,
		H: kernel.Axis{In: h.Width, Out: h.Width}, V: kernel.Axis{In: h.Height, Out: h.Height},
		CanvasWidth: h.Width, CanvasHeight: h.Height, OutChannels: 3, Layout: spool.HWC}
	pixels := make([]byte, h.Width*h.Height*3)
	sink, err := kernel.NewSink(&plan, pixels, make([]byte, plan.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	for range 2 {
		if _, err := animation.Next(c, gif.Options{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	report, err := animation.Next(c, gif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height, Channels: 3})
	fmt.Println(sink.Rows(), report.Delay, err)
	// Output:
	// 23 17 6 570ms
	// 17 90ms <nil>
}
