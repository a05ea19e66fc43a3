package avif_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func Example() {
	data, err := os.ReadFile("testdata/sequence.avif")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := avif.Open(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	h := d.Header()
	fmt.Println(h.Width, h.Height, h.Channels(), h.Bits, h.Frames, h.Duration)

	plan := kernel.Plan{Width: h.Width, Height: h.Height, Channels: h.Channels(), Right: h.Width,
		H: kernel.Axis{In: h.Width, Out: h.Width}, V: kernel.Axis{In: h.Height, Out: h.Height},
		CanvasWidth: h.Width, CanvasHeight: h.Height, OutChannels: h.Channels(), Layout: spool.HWC}
	pixels := make([]byte, h.Width*h.Height*h.Channels())
	sink, err := kernel.NewSink(&plan, pixels, make([]byte, plan.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()
	err = d.Decode(c, 3, avif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height})
	fmt.Println(sink.Rows(), err)
	// Output:
	// 32 24 3 8 5 200ms
	// 24 <nil>
}
