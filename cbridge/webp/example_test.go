package webp_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/webp"
)

// A lossy image is decoded to planes; the kernels convert them to RGB rows.
func Example() {
	data, err := os.ReadFile("testdata/lossy.webp")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := webp.ReadHeader(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels := make([]byte, h.Width*h.Height*3)
	plan := &kernel.Plan{Width: h.Width, Height: h.Height, Channels: 3, Right: h.Width,
		H: kernel.Axis{In: h.Width, Out: h.Width}, V: kernel.Axis{In: h.Height, Out: h.Height},
		CanvasWidth: h.Width, CanvasHeight: h.Height, OutChannels: 3, Layout: spool.HWC}
	sink, err := kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	halved := &kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
	planes, err := kernel.NewPlanes(halved, sink.Pointer(), make([]byte, halved.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer planes.Close()

	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()
	report, err := webp.Decode(c, data, h, webp.Options{Planes: planes.Pointer()})
	fmt.Println(h.Width, h.Height, report.Rows, err)
	// Output: 41 93 93 <nil>
}
