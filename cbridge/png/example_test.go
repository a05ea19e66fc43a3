package png_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/rgb8.png"))
	h := lanetest.Must(png.ReadHeader(data))
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	pixels := make([]byte, h.Width*h.Height*3)
	report, err := png.Decode(c, data, png.Options{Dst: pixels})
	fmt.Println(h.Width, h.Height, h.Color, h.Bits, report.Rows, err)

	// A damaged image is refused, unless a part of it is accepted.
	half := data[:len(data)/2]
	report, err = png.Decode(c, half, png.Options{Dst: pixels})
	fmt.Printf("%v, %.0f %% read\n", errors.Is(err, spool.ErrTruncated), 100*report.Fraction)
	report, err = png.Decode(c, half, png.Options{Dst: pixels, Accept: 0.25})
	fmt.Println(report.Rows, "rows", err)
	// Output:
	// 33 21 RGB 8 21 <nil>
	// true, 43 % read
	// 9 rows <nil>
}

func ExampleOpenAnimation() {
	data := lanetest.Must(os.ReadFile("testdata/apng_rgba8.png"))
	h := lanetest.Must(png.ReadHeader(data))
	a := lanetest.Must(png.OpenAnimation(data, 0))
	defer a.Close()
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	canvas, rows := make([]byte, h.Width*h.Height*4), 0
	for range h.Frames {
		report := lanetest.Must(a.Next(c, png.Options{Channels: 4, Dst: canvas}))
		rows += report.Rows
	}
	fmt.Println(h.Frames, "frames,", rows, "rows")
	// Output: 10 frames, 180 rows
}
