package gif_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/animation01.gif"))
	h := lanetest.Must(gif.ReadHeader(data))
	fmt.Println(h.Width, h.Height, h.Frames, h.Duration)

	animation := lanetest.Must(gif.Open(data))
	defer animation.Close()
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()

	// The third frame, composed after the first two.
	plan := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, lanetest.All(h.Width, h.Height))
	pixels := make([]byte, h.Width*h.Height*3)
	sink := lanetest.Must(kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes())))
	defer sink.Close()
	for range 2 {
		lanetest.Must(animation.Next(c, gif.Options{}))
	}
	report, err := animation.Next(c, gif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height, Channels: 3})
	fmt.Println(sink.Rows(), report.Delay, err)
	// Output:
	// 23 17 6 570ms
	// 17 90ms <nil>
}
