//go:build linux

// Package stoptest checks that work in C stops soon after it is cancelled. It counts the looks at a flag, and compares
// times of one thread's processor with each other: neither the machine's speed nor its load matters.
package stoptest

import (
	"math"
	"runtime"
	"sort"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// Never is a number of looks that no work reaches.
const Never = math.MaxInt32

// most is the share of the work that may go on after a cancel.
const most = 0.2

// Soon checks that at most a fifth of the work goes on, whenever it is cancelled. run does the work on the calling
// thread, is cancelled by the flag's given look, from 1, and returns nil if it came to its end.
func Soon(t *testing.T, run func(looks int32) error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := run(Never); err != nil {
		t.Fatal(err)
	}
	looks := sort.Search(1<<24, func(n int) bool { return run(int32(n+1)) == nil }) // as many as there are
	if looks == 0 {
		t.Fatal("the flag is not looked at")
	}
	const attempts = 10 // what else the machine does can make a run longer, not shorter
	var rest float64
	for range attempts {
		if rest = longest(run, looks); rest <= most {
			t.Logf("%d looks, at most %.1f %% between two", looks, 100*rest)
			return
		}
	}
	t.Errorf("%d looks at the flag, %.0f %% of the work between two of them", looks, 100*rest)
}

// longest is the greatest share of the work that goes on after a cancel at one of several moments.
func longest(run func(looks int32) error, looks int) (rest float64) {
	whole := least(run, Never)
	for _, share := range []float64{0.1, 0.3, 0.5, 0.7} {
		moment := time.Duration(share * float64(whole))
		next := sort.Search(looks, func(n int) bool { return least(run, int32(n+1)) >= moment })
		end := whole
		if next < looks {
			end = least(run, int32(next+1))
		}
		rest = max(rest, float64(end-moment)/float64(whole))
	}
	return rest
}

// least is the shortest of some runs.
func least(run func(looks int32) error, looks int32) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		start := threadTime()
		_ = run(looks)
		best = min(best, threadTime()-start)
	}
	return best
}

// threadTime is exact, which getrusage is not on every kernel.
func threadTime() time.Duration {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID, which package syscall has no name for
	var now syscall.Timespec
	if _, _, code := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); code != 0 {
		panic(code)
	}
	return time.Duration(now.Nano())
}
