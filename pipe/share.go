package pipe

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookEvery is the interval at which CPU time and workers are checked. A CPU share holds on average over a few
	// intervals.
	lookEvery = 25 * time.Millisecond
	// saved is how long unused CPU time can be used later.
	saved = 4 * lookEvery
	// mostShut is the longest pause without new work. If other code of the process uses more than the share, the pipeline
	// continues slowly.
	mostShut = time.Second
)

// gate limits the CPU time of the process like the kernel limits that of a cgroup. Used time adds to a debt, which is
// paid off at the allowed rate. While there is a debt, no worker begins an item. Calls in progress continue, so the
// limit holds on average.
type gate struct {
	allowed float64       // cores
	debt    time.Duration // CPU time used and not paid off; negative for saved time

	shut   atomic.Bool
	since  time.Duration // when it was shut, in the time of the run
	mu     sync.Mutex
	opened sync.Cond
}

func newGate(allowed float64) *gate {
	g := &gate{allowed: allowed}
	g.opened.L = &g.mu
	return g
}

// pass waits until the gate is open.
func (g *gate) pass(m *meter) {
	if !g.shut.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut.Load() {
		m.wait(resting, &g.opened)
	}
}

// pay settles the account for a period in which used was used, and returns whether the gate was shut in it.
func (g *gate) pay(now, elapsed, used time.Duration) bool {
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
func (g *gate) worth(d time.Duration) time.Duration { return time.Duration(float64(d) * g.allowed) }

func (g *gate) set(shut bool) {
	g.mu.Lock()
	g.shut.Store(shut)
	g.mu.Unlock()
	g.opened.Broadcast()
}

// govern starts the control of CPU time and of workers, if it is needed.
func (p *Pipeline) govern(ctx context.Context) {
	var g *gate
	if share := p.options.CPUShare; share > 0 {
		g = newGate(share * float64(p.cores))
	}
	var t *tuner
	for _, s := range p.stages {
		s.gate = g
		if s.spare != nil && t == nil && !p.profiled {
			t = newTuner(p)
		}
	}
	if g != nil || t != nil {
		p.watching.Go(func() { p.governing(ctx, g, t) })
	}
}

// governing checks regularly until ctx ends.
func (p *Pipeline) governing(ctx context.Context, g *gate, t *tuner) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	if g != nil {
		defer g.set(false)
	}
	last, used := time.Duration(0), p.cpuTime()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, cpu := time.Since(p.start), p.cpuTime()
		if g != nil && g.pay(now, now-last, cpu-used) {
			p.mu.Lock()
			p.shut += now - last
			p.mu.Unlock()
		}
		last, used = now, cpu
		if t != nil {
			t.look(p.read(now, cpu))
		}
	}
}
