package icc_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	profile := lanetest.Must(os.ReadFile("testdata/display-p3.icc"))
	plan := lanetest.Plan(2, 1, lanetest.Form{Channels: 3}, lanetest.All(2, 1))
	pixels := make([]byte, 2*3)
	sink := lanetest.Must(kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes())))
	defer sink.Close()
	c := lanetest.Must(call.Enter(context.Background(), 1))
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
