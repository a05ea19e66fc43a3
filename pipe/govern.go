package pipe

import (
	"context"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/tune"
)

// govern starts the control of CPU time and of workers, if it is needed.
func (p *Pipeline) govern(ctx context.Context) {
	var g *tune.Gate
	if share := p.options.CPUShare; share > 0 {
		g = tune.NewGate(share * float64(p.cores))
	}
	auto := false
	for _, s := range p.stages {
		s.gate = g
		auto = auto || s.spare != nil && !p.profiled
	}
	var t *tune.Tuner
	if auto {
		t = p.tuner()
	}
	if g != nil || t != nil {
		p.watching.Go(func() { p.governing(ctx, g, t) })
	}
}

// tuner returns the tuner of the Auto stages.
func (p *Pipeline) tuner() *tune.Tuner {
	var stages []tune.Stage
	for _, s := range p.stages {
		stages = append(stages, tune.Stage{Name: s.name, Auto: s.spare != nil, Least: s.least, Most: len(s.meters)})
	}
	cores := float64(p.cores)
	if p.options.CPUShare > 0 {
		cores *= p.options.CPUShare
	}
	move := func(stage, to int, reason string) { p.setWorkers(p.stages[stage], to, reason) }
	tell := func(state string) {
		p.mu.Lock()
		p.tuned = state
		p.mu.Unlock()
	}
	return tune.New(stages, cores, move, tell)
}

// governing checks regularly until ctx ends.
func (p *Pipeline) governing(ctx context.Context, g *tune.Gate, t *tune.Tuner) {
	tick := time.NewTicker(tune.LookEvery)
	defer tick.Stop()
	if g != nil {
		defer g.Open()
	}
	last, used := time.Duration(0), p.cpuTime()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, cpu := time.Since(p.start), p.cpuTime()
		if g != nil && g.Pay(now, now-last, cpu-used) {
			p.mu.Lock()
			p.shut += now - last
			p.mu.Unlock()
		}
		last, used = now, cpu
		if t != nil {
			t.Look(p.read(now, cpu))
		}
	}
}

// read returns the state of all clocks and meters, for the tuner.
func (p *Pipeline) read(now, cpu time.Duration) tune.Reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := tune.Reading{At: now, CPU: cpu, Shut: p.shut, Of: make([]tune.Effort, len(p.stages)+1)}
	for i, s := range p.stages {
		r.Of[i].Workers = s.workers
		for w := range s.meters {
			r.Of[i].Add(&s.meters[w])
		}
	}
	if last := &r.Of[len(p.stages)]; p.loop {
		last.Workers = 1
		last.Add(&p.consumer)
	}
	return r
}
