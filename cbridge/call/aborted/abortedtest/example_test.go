package abortedtest_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spoolmedia/spool/cbridge/call/aborted/abortedtest"
)

func Example() {
	for _, way := range slices.Sorted(maps.Keys(abortedtest.Crashes)) {
		fmt.Println(way)
	}
	// Output:
	// abort in C
	// fatal error of Go
	// illegal instruction in C
	// panic of a goroutine
	// segmentation fault in C
}
