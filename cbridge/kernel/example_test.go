package kernel_test

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// An image of 4x2 gray pixels is halved in both directions. Each output is the mean of two inputs.
func Example() {
	halve := func(in int) kernel.Axis {
		axis := kernel.Axis{In: in, Out: in / 2, Stride: 2, Precision: 14}
		for i := range axis.Out {
			axis.Start = append(axis.Start, int32(2*i))
			axis.Count = append(axis.Count, 2)
			axis.Weights = append(axis.Weights, 1<<13, 1<<13)
		}
		return axis
	}
	plan := &kernel.Plan{
		Width: 4, Height: 2, Channels: 1,
		Right: 4, // all columns
		H:     halve(4), V: halve(2),
		CanvasWidth: 2, CanvasHeight: 1, OutChannels: 3, // gray repeated
		DType: spool.Uint8, Layout: spool.HWC,
	}
	dst := make([]byte, 2*1*3)
	sink, err := kernel.NewSink(plan, dst, make([]byte, plan.ScratchBytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()

	rows := []byte{
		10, 20, 100, 200,
		30, 40, 100, 200,
	}
	enough, err := sink.Push(rows, 4, 2)
	fmt.Println(enough, err, dst)
	// Output: true <nil> [25 25 25 150 150 150]
}
