package avif_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/sequence.avif"))
	d := lanetest.Must(avif.Open(data))
	defer d.Close()
	h := d.Header()
	fmt.Println(h.Width, h.Height, h.Channels(), h.Bits, h.Frames, h.Duration)

	plan := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: h.Channels()}, lanetest.All(h.Width, h.Height))
	pixels := make([]byte, h.Width*h.Height*h.Channels())
	sink := lanetest.Must(kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes())))
	defer sink.Close()
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	err := d.Decode(c, 3, avif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height})
	fmt.Println(sink.Rows(), err)
	// Output:
	// 32 24 3 8 5 200ms
	// 24 <nil>
}
