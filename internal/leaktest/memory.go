package leaktest

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// Flat fails the test if the resident memory of the process grows by more than limit bytes in each of five calls of
// pass. The first call warms up and does not count. One call that grows less is enough: a leak grows in each, while
// fragments of the heap and stacks of new threads grow in some.
func Flat(t testing.TB, limit int64, pass func()) {
	t.Helper()
	pass()
	var grown []int64
	for range 5 {
		before := resident(t)
		pass()
		grown = append(grown, resident(t)-before)
		if grown[len(grown)-1] <= limit {
			return
		}
	}
	t.Errorf("leaktest: memory grew by %d bytes, each call by more than %d", grown, limit)
}

// resident returns the memory of the process in bytes, including C memory.
func resident(t testing.TB) int64 {
	t.Helper()
	debug.FreeOSMemory() // else new memory may reuse pages that count already
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
