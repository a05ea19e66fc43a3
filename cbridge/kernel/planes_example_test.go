package kernel_test

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// Planes of 4x2 pixels with chroma halved in both directions, converted to RGB: gray on the left, reddish on the right,
// and interpolated colors between them.
func ExamplePlanes() {
	rows := &kernel.Plan{Width: 4, Height: 2, Channels: 3, Right: 4,
		H: kernel.Axis{In: 4, Out: 4}, V: kernel.Axis{In: 2, Out: 2},
		CanvasWidth: 4, CanvasHeight: 2, OutChannels: 3, Layout: spool.HWC}
	dst := make([]byte, 4*2*3)
	sink, err := kernel.NewSink(rows, dst, make([]byte, rows.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	plan := &kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: 4, Height: 2, SubX: 2, SubY: 2}
	planes, err := kernel.NewPlanes(plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer planes.Close()

	enough, err := planes.Push(kernel.Band{
		Y: []byte{
			126, 126, 126, 126,
			126, 126, 126, 126,
		},
		U: []byte{128, 128}, V: []byte{128, 192},
		StrideY: 4, StrideUV: 2, Rows: 2,
	})
	fmt.Println(enough, err, dst[:12])
	// Output: true <nil> [128 128 128 154 115 128 205 89 128 230 76 128]
}
