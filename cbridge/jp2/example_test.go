package jp2_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func Example() {
	data, err := os.ReadFile("testdata/ycc420.jp2")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := jp2.ReadHeader(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Width, h.Height, h.Channels(), h.Bits)

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
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()
	report, err := jp2.Decode(c, h, jp2.Options{Sink: sink.Pointer(), Channels: 3})
	fmt.Println(report.Rows, err)
	// Output:
	// 44 32 3 8
	// 32 <nil>
}
