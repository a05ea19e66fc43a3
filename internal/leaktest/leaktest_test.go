package leaktest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// short is the timeout for intended leaks.
const short = 20 * time.Millisecond

// The values of LEAKTEST_CHILD in a child of TestMainFailsTheProcess: which timeout it has.
const (
	patient = "patient" // that of Main
	hasty   = "hasty"   // a second
)

var leakInChild = os.Getenv("LEAKTEST_CHILD")

func TestMain(m *testing.M) {
	if leakInChild == hasty {
		os.Exit(run(m.Run, time.Second, os.Stderr, nil))
	}
	Main(m)
}

// TestMainFailsTheProcess runs this test binary again with a test that leaks.
func TestMainFailsTheProcess(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^TestLeakingChild$")
	waits := patient
	if testing.Short() {
		waits = hasty
	}
	child.Env = append(os.Environ(), "LEAKTEST_CHILD="+waits)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "the child must fail; it printed:\n%s", out)
	assert.Equal(t, 1, exit.ExitCode())
	assert.Contains(t, string(out), "PASS", "the tests themselves pass")
	assert.Contains(t, string(out), "left behind")
	assert.Contains(t, string(out), "leaktest.park", "the leaked goroutine's stack is printed")
}

func TestLeakingChild(t *testing.T) {
	if leakInChild == "" {
		t.Skip("runs in the child of TestMainFailsTheProcess")
	}
	go park(make(chan struct{}))
}

// park is a name to find in stacks.
func park(until chan struct{}) { <-until }

// A handle that the test before has forgotten is freed only when its cleanup has run, and so is what that forgets.
func TestSettled(t *testing.T) {
	var held atomic.Int64
	held.Store(5)
	func() {
		runtime.AddCleanup(new([64]byte), func(int) {
			held.Add(-1)
			runtime.AddCleanup(new([64]byte), func(int) { held.Add(-1) }, 0)
		}, 0)
	}()
	assert.EqualValues(t, 3, Settled(held.Load))
}

func TestRun(t *testing.T) {
	var held atomic.Int64
	count := Count{Name: "bytes of C memory", Now: held.Load}
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for _, c := range []struct {
		name   string
		start  int64
		tests  func() int
		code   int
		report string
	}{
		{"clean", 0, func() int { return 0 }, 0, ""},
		{"count grows", 0, func() int { held.Store(5); return 0 }, 1, "bytes of C memory: 5, before the tests 0"},
		{"count grows from a start", 3, func() int { held.Add(4); return 0 }, 1, "bytes of C memory: 7, before the tests 3"},
		{"count below its start", 3, func() int { held.Store(2); return 0 }, 1, "bytes of C memory: 2, before the tests 3"},
		{"count negative", 0, func() int { held.Store(-1); return 0 }, 1, "bytes of C memory: -1, before the tests 0"},
		{"count unchanged", 3, func() int { return 0 }, 0, ""},
		{"count falls to zero", 3, func() int { held.Store(0); return 0 }, 0, ""},
		{"goroutine", 0, func() int { go park(release); return 0 }, 1, "leaktest.park"},
		{"failed tests keep their code", 0, func() int { held.Store(5); return 2 }, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			held.Store(c.start)
			var report bytes.Buffer
			assert.Equal(t, c.code, run(c.tests, short, &report, []Count{count}))
			if c.report == "" {
				assert.Empty(t, report.String())
			} else {
				assert.Contains(t, report.String(), c.report)
			}
		})
	}
}

// TestSlowEndIsNoLeak shows that settle waits: the goroutine ends only after the first check.
func TestSlowEndIsNoLeak(t *testing.T) {
	var held atomic.Int64
	looks := 0
	count := Count{Name: "slow", Now: func() int64 {
		if looks++; looks == 4 { // one check before the tests, two that still see it
			held.Store(0)
		}
		return held.Load()
	}}
	var report bytes.Buffer
	code := run(func() int { held.Store(1); return 0 }, time.Minute, &report, []Count{count})
	assert.Zero(t, code, report.String())
	assert.Equal(t, 4, looks)
}

// TestForgottenHandleIsCounted shows that a handle is found that only the garbage collector closes.
func TestForgottenHandleIsCounted(t *testing.T) {
	type handle [64]byte
	var forgotten atomic.Int64
	count := Count{Name: "forgotten handles", Now: forgotten.Load}
	var report bytes.Buffer
	code := run(func() int {
		h := new(handle)
		runtime.AddCleanup(h, func(int) { forgotten.Add(1) }, 0)
		return 0
	}, short, &report, []Count{count})
	assert.Equal(t, 1, code)
	assert.Contains(t, report.String(), "forgotten handles: 1")
}

// recorder is a testing.TB that records failures instead of failing.
type recorder struct {
	testing.TB
	cleanups []func()
	failures []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) finish() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

func TestCheck(t *testing.T) {
	var held atomic.Int64
	count := Count{Name: "buffers", Now: held.Load}

	t.Run("clean", func(t *testing.T) {
		r := &recorder{TB: t}
		check(r, short, []Count{count})
		r.Cleanup(func() { held.Store(0) }) // cleanups of the test run first
		held.Store(2)
		r.finish()
		assert.Empty(t, r.failures)
	})
	t.Run("leaks", func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		r := &recorder{TB: t}
		check(r, short, []Count{count})
		held.Store(2)
		go park(release)
		r.finish()
		require.Len(t, r.failures, 2)
		assert.Contains(t, r.failures[0], "buffers: 2")
		assert.Contains(t, r.failures[1], "leaktest.park")
	})
}

// TestManyGoroutines makes a dump longer than the first buffer. It must not be truncated.
func TestManyGoroutines(t *testing.T) {
	const n = 2000
	release := make(chan struct{})
	defer close(release)
	for range n {
		go park(release)
	}
	found := 0
	for _, g := range goroutines() {
		// park may not be on the stack yet
		if strings.Contains(g.stack, "created by github.com/spoolmedia/spool/internal/leaktest.TestManyGoroutines") {
			found++
		}
	}
	assert.Equal(t, n, found)
}

// Memory that grows once passes, and memory that grows in each call does not.
func TestFlat(t *testing.T) {
	var kept [][]byte
	grow := func() { kept = append(kept, bytes.Repeat([]byte{1}, 16<<20)) }
	calls := 0
	Flat(t, 4<<20, func() {
		if calls++; calls < 4 {
			grow()
		}
	})
	assert.Equal(t, 4, calls)

	leaking := &recorder{TB: t}
	Flat(leaking, 4<<20, grow)
	require.Len(t, leaking.failures, 1)
	assert.Contains(t, leaking.failures[0], "each call by more than 4194304")
	runtime.KeepAlive(kept)
}
