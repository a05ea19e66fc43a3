package webp_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// A lossy image is decoded to planes; the kernels convert them to RGB rows.
func Example() {
	data := lanetest.Must(os.ReadFile("testdata/lossy.webp"))
	h := lanetest.Must(webp.ReadHeader(data))
	pixels := make([]byte, h.Width*h.Height*3)
	plan := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, lanetest.All(h.Width, h.Height))
	sink := lanetest.Must(kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes())))
	defer sink.Close()
	halved := &kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
	planes := lanetest.Must(kernel.NewPlanes(halved, sink.Pointer(), make([]byte, halved.ScratchBytes())))
	defer planes.Close()

	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	report, err := webp.Decode(c, data, h, webp.Options{Planes: planes.Pointer()})
	fmt.Println(h.Width, h.Height, report.Rows, err)
	// Output: 41 93 93 <nil>
}
