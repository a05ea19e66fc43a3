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

// Count is a number that tests must leave as they found it, or at zero.
type Count struct {
	Name string       // what is counted, as a report names it: "bytes of C memory"
	Now  func() int64 // its value now; must be safe to call from any goroutine
}

// Main runs the tests of a package and exits. A run that passed fails when goroutines that it started
// are still there, or when a count is neither zero nor what it was before; the report goes to stderr.
func Main(m *testing.M, counts ...Count) {
	os.Exit(Run(m, counts...))
}

// Run is Main for a TestMain that has to clean up before it exits: it returns the exit code.
func Run(m *testing.M, counts ...Count) int {
	return run(m.Run, patience, os.Stderr, counts)
}

// Check does for one test what Main does for all: it looks now and again when the test and the
// cleanups registered after this call are done. It takes other tests' work for this test's, so it is
// not for tests that run in parallel.
func Check(t testing.TB, counts ...Count) {
	t.Helper()
	check(t, patience, counts)
}

// patience is how long things that are about to end may take: generous, because it is spent only
// where something leaks or a machine is busy.
const patience = 10 * time.Second

func run(tests func() int, patience time.Duration, report io.Writer, counts []Count) int {
	before := look(counts)
	code := tests()
	if code != 0 {
		return code // a test that stops halfway leaves things behind: its own failure says more
	}
	if leaks := before.settle(patience); len(leaks) > 0 {
		fmt.Fprintf(report, "leaktest: the tests passed, and left behind:\n%s\n", strings.Join(leaks, "\n"))
		return 1
	}
	return 0
}

func check(t testing.TB, patience time.Duration, counts []Count) {
	t.Helper()
	before := look(counts)
	t.Cleanup(func() {
		t.Helper()
		for _, leak := range before.settle(patience) {
			t.Errorf("leaktest: left behind: %s", leak)
		}
	})
}

// state is what there was before the tests.
type state struct {
	goroutines map[string]bool // by number
	counts     []Count
	values     []int64
}

func look(counts []Count) *state {
	s := &state{goroutines: map[string]bool{}, counts: counts, values: make([]int64, len(counts))}
	for _, g := range goroutines() {
		s.goroutines[g.number] = true
	}
	for i, c := range counts {
		s.values[i] = c.Now()
	}
	return s
}

// settle gives what is ending time to end, and returns what is left all the same.
func (s *state) settle(patience time.Duration) []string {
	collect(patience)
	for wait, waited := time.Millisecond, time.Duration(0); ; wait, waited = 2*wait, waited+wait {
		runtime.Gosched()
		leaks := s.leaks()
		if len(leaks) == 0 || waited > patience {
			return leaks
		}
		<-time.After(wait)
	}
}

// leaks compares what there is with what there was.
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

// collect makes cleanups of unreachable handles run, so that those who count forgotten handles have
// counted them. Cleanups may in turn drop the last reference to other handles: hence two rounds.
func collect(patience time.Duration) {
	for range 2 {
		ran := make(chan struct{})
		runtime.AddCleanup(new([64]byte), func(ran chan struct{}) { close(ran) }, ran)
		runtime.GC()
		select {
		case <-ran:
		case <-time.After(patience):
		}
	}
}
