//go:build linux

// Package stoptest checks that C code stops soon after it is cancelled. It counts how often the code polls its cancel
// flag, and compares CPU times of one thread. So neither the machine's speed nor its load matters.
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

// Never is a number of polls that no work reaches.
const Never = math.MaxInt32

// maxShare is the largest share of the work that may follow a cancel. When other processes evict pages and caches, some
// of the work takes longer, so only an idle machine shows the true share.
func maxShare() float64 {
	if timing.Checked() {
		return 0.2
	}
	return 0.5
}

// Soon checks that at most a fifth of the work follows a cancel, at any moment. Without checks of time limits (see
// package timing) half of the work may follow. run does the work on the calling thread. The given poll of the flag,
// counted from 1, cancels it. run returns nil if the work was completed.
func Soon(t *testing.T, run func(looks int32) error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := run(Never); err != nil {
		t.Fatal(err)
	}
	looks := sort.Search(1<<24, func(n int) bool { return run(int32(n+1)) == nil }) // the number of polls
	if looks == 0 {
		t.Fatal("the flag is not looked at")
	}
	const attempts = 20
	times := times{run: run, best: map[int]time.Duration{}}
	var rest float64
	for range attempts {
		if rest = times.longest(looks); rest <= maxShare() {
			t.Logf("%d looks, at most %.1f %% between two", looks, 100*rest)
			return
		}
	}
	t.Errorf("%d looks at the flag, %.0f %% of the work between two of them", looks, 100*rest)
}

// times holds the shortest run so far for each poll that cancels. Other work on the machine makes a run longer, never
// shorter.
type times struct {
	run  func(looks int32) error
	best map[int]time.Duration
}

// of runs the work three more times, and returns the shortest run so far.
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

// longest returns the largest share of the work that follows a cancel, over several moments of cancelling.
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

// threadTime returns the CPU time of this thread. getrusage is not exact on every kernel.
func threadTime() time.Duration {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID, which package syscall does not define
	var now syscall.Timespec
	if _, _, code := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); code != 0 {
		panic(code)
	}
	return time.Duration(now.Nano())
}
