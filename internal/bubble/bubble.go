package bubble

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

// Test is synctest.Test. With the race detector, GOMAXPROCS is 1 for the whole process until f returns; tests that run
// in parallel share that setting.
func Test(t *testing.T, f func(*testing.T)) {
	t.Helper()
	if raceEnabled {
		processors.reduce()
		defer processors.restore()
	}
	synctest.Test(t, f)
}

var processors reduction

// reduction sets GOMAXPROCS to 1 while bubbles exist.
type reduction struct {
	mu      sync.Mutex
	bubbles int
	before  int // GOMAXPROCS without bubbles
}

func (r *reduction) reduce() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bubbles++; r.bubbles == 1 {
		r.before = runtime.GOMAXPROCS(1)
	}
}

func (r *reduction) restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bubbles--; r.bubbles == 0 {
		runtime.GOMAXPROCS(r.before)
	}
}
