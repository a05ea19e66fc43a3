package jp2_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/ycc420.jp2"))
	h := lanetest.Must(jp2.ReadHeader(data))
	fmt.Println(h.Width, h.Height, h.Channels(), h.Bits)

	plan := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, lanetest.All(h.Width, h.Height))
	pixels := make([]byte, h.Width*h.Height*3)
	sink := lanetest.Must(kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes())))
	defer sink.Close()
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	report, err := jp2.Decode(c, h, jp2.Options{Sink: sink.Pointer(), Channels: 3})
	fmt.Println(report.Rows, err)
	// Output:
	// 44 32 3 8
	// 32 <nil>
}
