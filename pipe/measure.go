package pipe

import (
	"slices"
	"time"
)

// reading is the state of clocks and meters at a time of the run, and window is the difference of two.
type reading struct {
	at   time.Duration
	cpu  time.Duration // of the process
	shut time.Duration // in which no work was begun because of CPUShare
	of   []effort      // of the stages, then of the consumer
}

type window reading

// effort is what the workers of a stage did.
type effort struct {
	workers int
	busy    time.Duration // total time at work
	items   int64         // items done
	took    time.Duration // total service time
}

func (p *Pipeline) read(now, cpu time.Duration) reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := reading{at: now, cpu: cpu, shut: p.shut, of: make([]effort, len(p.stages)+1)}
	for i, s := range p.stages {
		r.of[i].workers = s.workers
		for w := range s.meters {
			s.meters[w].effort(&r.of[i])
		}
	}
	if last := &r.of[len(p.stages)]; p.loop {
		last.workers = 1
		p.consumer.effort(last)
	}
	return r
}

// effort adds the current values of the meter.
func (m *meter) effort(e *effort) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.busy += m.spent[working]
	if m.phase == working {
		e.busy += time.Since(m.epoch) - m.since
	}
	e.items += m.service.count
	e.took += m.service.sum
}

func (r reading) since(e reading) window {
	w := window{at: r.at - e.at, cpu: r.cpu - e.cpu, shut: r.shut - e.shut, of: slices.Clone(r.of)}
	for i, x := range e.of {
		w.of[i].busy -= x.busy
		w.of[i].items -= x.items
		w.of[i].took -= x.took
	}
	return w
}

// service returns the mean service time in seconds; 0 if no item was done.
func (w window) service(stage int) float64 {
	return w.of[stage].took.Seconds() / float64(max(w.of[stage].items, 1))
}

// rate returns a stage's throughput by Little's law: workers at work over the service time. A count would have an error
// by the items in work at both ends of the window.
func (w window) rate(stage int) float64 {
	return w.of[stage].busy.Seconds() / w.at.Seconds() / max(w.service(stage), 1e-9)
}

// occupancy returns the occupancy of a stage, or of the consumer.
func (w window) occupancy(stage int) float64 {
	e := w.of[stage]
	return e.busy.Seconds() / w.at.Seconds() / float64(max(e.workers, 1))
}

// cores returns how many cores the process kept busy.
func (w window) cores() float64 { return w.cpu.Seconds() / w.at.Seconds() }
