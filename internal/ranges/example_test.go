package ranges_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Two ranges of an object are needed: one request each, both in flight at the same time, and none for the many small
// reads.
func Example() {
	object := spool.NewObject(bytes.NewReader(make([]byte, 10_000_000)), spool.ObjectInfo{Size: 10_000_000})
	r := ranges.New(object, ranges.Options{})
	defer r.Close()
	r.Expect(ranges.Merge([]ranges.Range{{5_000_000, 5_300_000}, {1_000_000, 1_100_000}, {1_100_500, 1_200_000}}, 4096))
	buffer := make([]byte, 1000)
	for off := int64(1_000_000); off < 1_200_000; off += 1000 {
		if _, err := r.ReadAt(context.Background(), buffer, off); err != nil {
			fmt.Println(err)
		}
	}
	if err := r.Await(context.Background(), ranges.Range{Begin: 5_000_000, End: 5_300_000}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Stats().Requests, "requests,", r.Stats().Bytes, "bytes")
	// Output: 2 requests, 500000 bytes
}
