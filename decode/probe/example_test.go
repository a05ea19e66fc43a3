package probe_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
)

// What an image and a video hold.
func Example() {
	for _, path := range []spool.File{"../../testdata/hard/good/s420.jpg", "../../testdata/video/bframes.mp4"} {
		found, err := probe.Probe(context.Background(), path, decode.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(found.Medium, found.Image.Format, len(found.Container.Streams))
	}
	// Output:
	// image jpeg 0
	// video unknown 1
}
