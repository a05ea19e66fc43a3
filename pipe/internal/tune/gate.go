package tune

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
)

const (
	// LookEvery is the interval at which CPU time and workers are checked. A CPU share holds on average over a few
	// intervals.
	LookEvery = 25 * time.Millisecond
	// saved is how long unused CPU time can be used later.
	saved = 4 * LookEvery
	// mostShut is the longest pause without new work. If other code of the process uses more than the share, the pipeline
	// continues slowly.
	mostShut = time.Second
)

// Gate limits the CPU time of the process like the kernel limits that of a cgroup. Used time adds to a debt, which is
// paid off at the allowed rate. While there is a debt, no worker begins an item. Calls in progress continue, so the
// limit holds on average.
type Gate struct {
	allowed float64       // cores
	debt    time.Duration // CPU time used and not paid off; negative for saved time

	shut   atomic.Bool
	since  time.Duration // when it was shut, in the time of the run
	mu     sync.Mutex
	opened sync.Cond
}

// NewGate returns a gate for a number of cores.
func NewGate(allowed float64) *Gate {
	g := &Gate{allowed: allowed}
	g.opened.L = &g.mu
	return g
}

// Pass waits until the gate is open.
func (g *Gate) Pass(m *meter.Meter) {
	if !g.shut.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut.Load() {
		m.Wait(meter.Resting, &g.opened)
	}
}

// Pay adds the CPU time used in a period to the debt, and reports whether the gate was shut in that period.
func (g *Gate) Pay(now, elapsed, used time.Duration) bool {
	was := g.shut.Load()
	g.debt += used - g.worth(elapsed)
	g.debt = max(g.debt, -g.worth(saved))
	if was && now-g.since >= mostShut {
		g.debt = 0
	}
	if shut := g.debt > 0; shut != was {
		g.since = now
		g.set(shut)
	}
	return was
}

// worth returns the CPU time that is allowed in a period.
func (g *Gate) worth(d time.Duration) time.Duration { return time.Duration(float64(d) * g.allowed) }

func (g *Gate) set(shut bool) {
	g.mu.Lock()
	g.shut.Store(shut)
	g.mu.Unlock()
	g.opened.Broadcast()
}

// Open opens the gate at the end of the run.
func (g *Gate) Open() { g.set(false) }
