package jpeg_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/s420.jpg"))
	h := lanetest.Must(jpeg.ReadHeader(data))
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	pixels := make([]byte, h.Width*h.Height*jpeg.RGB.Channels())
	report, err := jpeg.Decode(c, data, jpeg.Options{Dst: pixels})
	fmt.Println(h.Width, h.Height, h.Space, report.Rows, err)

	// A truncated image is refused, unless Accept allows an incomplete image.
	half := data[:len(data)*3/4]
	report, err = jpeg.Decode(c, half, jpeg.Options{Dst: pixels})
	fmt.Printf("%v, %.0f %% read\n", errors.Is(err, spool.ErrTruncated), 100*report.Fraction)
	report, err = jpeg.Decode(c, half, jpeg.Options{Dst: pixels, Accept: 0.25})
	fmt.Println(report.Rows, "rows", err)
	// Output:
	// 41 93 YCbCr 93 <nil>
	// true, 50 % read
	// 47 rows <nil>
}
