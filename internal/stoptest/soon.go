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

	"github.com/spoolmedia/spool/internal/timing"
)

// Never is a number of looks that no work reaches.
const Never = math.MaxInt32

// most is the share of the work that may go on after a cancel. Pages and caches that other work takes away make a part of
// the work longer than it is: only an idle machine shows the limit proper.
func most() float64 {
	if timing.Checked() {
		return 0.2
	}
	return 0.5
}

// Soon checks that at most a fifth of the work goes on, whenever it is cancelled, or half of it where limits of time are not
// checked (see package timing). run does the work on the calling
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
	const attempts = 20
	times := times{run: run, best: map[int]time.Duration{}}
	var rest float64
	for range attempts {
		if rest = times.longest(looks); rest <= most() {
			t.Logf("%d looks, at most %.1f %% between two", looks, 100*rest)
			return
		}
	}
	t.Errorf("%d looks at the flag, %.0f %% of the work between two of them", looks, 100*rest)
}

// times are the shortest runs so far, by the look that cancelled them: other work of the machine makes a run longer, never
// shorter.
type times struct {
	run  func(looks int32) error
	best map[int]time.Duration
}

// of runs the work some more times.
func (x times) of(looks int) time.Duration {
	for range 3 {
		start := threadTime()
		_ = x.run(int32(looks))
		took := threadTime() - start
		if best, ok := x.best[looks]; !ok || took < best {
			x.best[looks] = took
		}
	}
	return x.best[looks]
}

// longest is the greatest share of the work that goes on after a cancel at one of several moments.
func (x times) longest(looks int) (rest float64) {
	whole := x.of(Never)
	for _, share := range []float64{0.1, 0.3, 0.5, 0.7} {
		moment := time.Duration(share * float64(whole))
		next := sort.Search(looks, func(n int) bool { return x.of(n+1) >= moment })
		end := whole
		if next < looks {
			end = x.of(next + 1)
		}
		rest = max(rest, float64(end-moment)/float64(whole))
	}
	return rest
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
