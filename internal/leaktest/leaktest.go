package leaktest

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Count is a number that must be zero after the tests, or the same as before.
type Count struct {
	Name string       // what is counted, for reports: "bytes of C memory"
	Now  func() int64 // its current value; must be safe to call from any goroutine
}

// Main runs the tests of a package and exits. A run that passed fails if its goroutines still run, or if a count is
// neither zero nor its value before. The report goes to stderr.
func Main(m *testing.M, counts ...Count) {
	os.Exit(Run(m, counts...))
}

// Run is like Main, for a TestMain that must clean up before it exits. It returns the exit code.
func Run(m *testing.M, counts ...Count) int {
	return run(m.Run, timeout, os.Stderr, counts)
}

// Check does for one test what Main does for all. It compares the state now with the state after the test and after the
// cleanups registered after this call. It would report leaks of parallel tests, so do not use it in them.
func Check(t testing.TB, counts ...Count) {
	t.Helper()
	check(t, timeout, counts)
}

// Settled returns a count that no longer changes because of what earlier tests have forgotten. It is for tests that
// compare a count of the process with its value before.
func Settled(now func() int64) int64 {
	last := now()
	for same := 0; same < 2; same++ {
		collect(timeout)
		if n := now(); n != last {
			last, same = n, -1
		}
	}
	return last
}

// timeout is the longest wait for things that are about to end. It is generous, because it is only spent on leaks and
// on busy machines.
const timeout = 10 * time.Second

func run(tests func() int, timeout time.Duration, report io.Writer, counts []Count) int {
	before := snapshot(counts)
	code := tests()
	if code != 0 {
		return code // a test that stops early leaks, and its own failure says more
	}
	if leaks := before.settle(timeout); len(leaks) > 0 {
		fmt.Fprintf(report, "leaktest: the tests passed, and left behind:\n%s\n", strings.Join(leaks, "\n"))
		return 1
	}
	return 0
}

func check(t testing.TB, timeout time.Duration, counts []Count) {
	t.Helper()
	before := snapshot(counts)
	t.Cleanup(func() {
		t.Helper()
		for _, leak := range before.settle(timeout) {
			t.Errorf("leaktest: left behind: %s", leak)
		}
	})
}

// state is the goroutines and counts before the tests.
type state struct {
	goroutines map[string]bool // by number
	counts     []Count
	values     []int64
}

func snapshot(counts []Count) *state {
	s := &state{goroutines: map[string]bool{}, counts: counts, values: make([]int64, len(counts))}
	for _, g := range goroutines() {
		s.goroutines[g.number] = true
	}
	for i, c := range counts {
		s.values[i] = c.Now()
	}
	return s
}

// settle waits until goroutines and counts that are about to end have ended, and returns the remaining leaks.
func (s *state) settle(timeout time.Duration) []string {
	collect(timeout)
	for wait, waited := time.Millisecond, time.Duration(0); ; wait, waited = 2*wait, waited+wait {
		runtime.Gosched()
		leaks := s.leaks()
		if len(leaks) == 0 || waited > timeout {
			return leaks
		}
		<-time.After(wait)
	}
}

// leaks compares the current state with the state before.
func (s *state) leaks() []string {
	var leaks []string
	for i, c := range s.counts {
		if now := c.Now(); now != 0 && now != s.values[i] {
			leaks = append(leaks, fmt.Sprintf("%s: %d, before the tests %d", c.Name, now, s.values[i]))
		}
	}
	for _, g := range goroutines() {
		if !s.goroutines[g.number] && !g.ownedByTesting() {
			leaks = append(leaks, g.stack)
		}
	}
	return leaks
}

// collect runs the cleanups of unreachable handles, which count forgotten handles. A cleanup may drop the last
// reference to other handles, hence two rounds.
func collect(timeout time.Duration) {
	for range 2 {
		ran := make(chan struct{})
		runtime.AddCleanup(new([64]byte), func(ran chan struct{}) { close(ran) }, ran)
		runtime.GC()
		select {
		case <-ran:
		case <-time.After(timeout):
		}
	}
}
