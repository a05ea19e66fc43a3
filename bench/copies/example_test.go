package copies_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/bench/copies"
)

func Example() {
	results, err := copies.Measure(context.Background(),
		copies.Options{Device: "host", Sizes: []int{1 << 20}, Rounds: 1, Batches: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r.Step, r.Bytes, r.UsPerItem > 0)
	}
	// Output:
	// bare-copy 1048576 true
	// pass 1048576 true
	// hold 1048576 true
}
