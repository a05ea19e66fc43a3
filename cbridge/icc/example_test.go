package icc_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func Example() {
	profile, err := os.ReadFile("testdata/display-p3.icc")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := kernel.Plan{Width: 2, Height: 1, Channels: 3, Right: 2, H: kernel.Axis{In: 2, Out: 2},
		V:           kernel.Axis{In: 1, Out: 1},
		CanvasWidth: 2, CanvasHeight: 1, OutChannels: 3, Layout: spool.HWC}
	pixels := make([]byte, 2*3)
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

	var transforms icc.Transforms // for the whole program
	defer transforms.Close()
	colors, err := transforms.NewSink(c, sink.Pointer(), profile, icc.Options{Color: icc.RGB, Channels: 3, Width: 2})
	if err != nil {
		fmt.Println(err) // a warning: the image is shown as stored
		return
	}
	defer colors.Close()
	if _, err := colors.Push([]byte{200, 100, 50, 128, 128, 128}, 6, 1); err != nil { // as a decoder does in C
		fmt.Println(err)
		return
	}
	fmt.Println(pixels)
	// Output: [215 93 31 128 128 128]
}
