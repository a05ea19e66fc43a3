package pipe

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Stage says how a stage is run. The zero value is one worker that tries each item once, for as long
// as it takes.
type Stage struct {
	// Workers is how many calls of the stage's function run at a time. 0 means 1. Auto lets the pipeline
	// find out.
	Workers int
	// MinWorkers and MaxWorkers bound Auto, which begins with MinWorkers. 0 means 1 and 64.
	MinWorkers, MaxWorkers int
	// Order is the order of the results. The default is Ordered.
	Order Order
	// Queue is how many results may wait for the next stage, beside one for each worker. In order of
	// input this is the reorder window too: as long as it is not full, a slow item delays no other
	// work. 0 means twice the workers, of Auto twice MaxWorkers, and at least 4.
	Queue int
	// QueueBytes bounds the same in bytes, as the results' method Size() int64 says: while as many
	// wait, no worker begins another item. 0 sets no limit.
	QueueBytes int64

	// Timeout is how long one try of an item may take: its context ends then, and its error is a
	// *TimeoutError. A function that ignores its context is waited for. 0 sets no limit.
	Timeout time.Duration
	// Retry says which failed items are tried again. The zero value tries each once.
	Retry Retry
	// MaxFailures and MaxFailureRate are as in Options, for this stage alone; the rate is that of the
	// items it took.
	MaxFailures    int
	MaxFailureRate float64
}

// Order is the order in which a stage hands its results on.
type Order uint8

const (
	Ordered     Order = iota // as the items came in
	AsCompleted              // as they are done
)

// stage is what all kinds of stages have in common.
type stage struct {
	crew
	name      string
	single    bool         // it cannot have more workers
	joins     bool         // it empties what the stage before it fills
	admits    bool         // it waits for bytes of a budget
	order     Order        // of its results
	one       bool         // an item gives one result or none
	replaces  bool         // Options.Replace is asked for its failures
	inputs    []gauge      // the queues it takes from
	outputs   []*output    // what it hands on
	allowance allowance    // failures of its own
	recorded  atomic.Int64 // failures that a caller recorded under its name

	work  func(context.Context, *meter) // a worker's life
	leave func()                        // once its last worker has gone

	ctx    context.Context // of its workers, while it runs
	cancel context.CancelFunc
	wanted atomic.Int64 // outputs that somebody still takes from
}

// gauge is a queue, whatever is in it.
type gauge interface {
	gauge() (fill float64, c counts)
	capacity() int // in work, or waiting
	stop()
	why() error

	// For a profile, see held.go.
	enlarge(places, later int)
	confine(places int)
	hold(on bool)
	stocked() bool
	discard()
}

// output is one of the flows of a stage's results.
type output struct {
	gauge
	from     *stage
	next     *stage // nil if nobody takes it, or All
	stopped  atomic.Bool
	showHole func() // before the run
	widen    func(places int)
}

// add begins a stage of the pipeline. Missing settings get their defaults in s.
func (p *Pipeline) add(name string, s *Stage) *stage {
	name = p.prefix + name
	s.check(p, name)
	for _, other := range p.stages {
		if other.name == name {
			p.problem("stage %q: another one has this name", name)
		}
	}
	st := &stage{name: name, order: s.Order}
	st.recruit(s)
	st.allowance.failures, st.allowance.rate = int64(s.MaxFailures), s.MaxFailureRate
	p.stages = append(p.stages, st)
	return st
}

// check reports what is wrong with the settings.
func (s *Stage) check(p *Pipeline, name string) {
	workers := s.Workers
	switch {
	case workers == Auto:
		workers = 0
		if s.MaxWorkers > 0 && s.MinWorkers > s.MaxWorkers {
			p.problem("stage %q: MinWorkers %d is more than MaxWorkers %d", name, s.MinWorkers, s.MaxWorkers)
		}
	case s.MinWorkers != 0 || s.MaxWorkers != 0:
		p.problem("stage %q: MinWorkers and MaxWorkers are for Workers: Auto", name)
	}
	for _, x := range []struct {
		name  string
		value int64
	}{
		{"Workers", int64(workers)}, {"MinWorkers", int64(s.MinWorkers)}, {"MaxWorkers", int64(s.MaxWorkers)}, {"Queue", int64(s.Queue)}, {"QueueBytes", s.QueueBytes}, {"MaxFailures", int64(s.MaxFailures)},
		{"Retry.Attempts", int64(s.Retry.Attempts)},
	} {
		if x.value < 0 {
			p.problem("stage %q: %s %d is negative", name, x.name, x.value)
		}
	}
	for _, x := range []struct {
		name  string
		value time.Duration
	}{{"Timeout", s.Timeout}, {"Retry.Backoff", s.Retry.Backoff}, {"Retry.MaxBackoff", s.Retry.MaxBackoff}} {
		if x.value < 0 {
			p.problem("stage %q: %s %v is negative", name, x.name, x.value)
		}
	}
	if s.Order > AsCompleted {
		p.problem("stage %q: Order %d is no order", name, s.Order)
	}
	if !(s.MaxFailureRate >= 0 && s.MaxFailureRate <= 1) {
		p.problem("stage %q: MaxFailureRate %v is not in [0, 1]", name, s.MaxFailureRate)
	}
}

// alone reports settings that a stage with one worker, which decides about order itself, cannot have.
func (s *Stage) alone(p *Pipeline, name, what string) {
	switch {
	case s.Workers == Auto:
		p.problem("stage %q: %s has one worker, not Auto", p.prefix+name, what)
	case s.Workers > 1:
		p.problem("stage %q: %s has one worker, not %d", p.prefix+name, what, s.Workers)
	}
	s.Workers = 1
	if s.Timeout > 0 || s.Retry.Attempts > 1 {
		p.problem("stage %q: %s has no Timeout and no Retry", p.prefix+name, what)
	}
	s.Order = Ordered
}

// begin makes the stage's context, within that of the stage it works for; if these are several, it
// ends when the last of them wants no more.
func (s *stage) begin(ctx context.Context, epoch time.Time) {
	if len(s.outputs) == 1 && s.outputs[0].next != nil {
		ctx = s.outputs[0].next.ctx
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.wanted.Store(int64(len(s.outputs)))
	s.alive = s.workers
	for w := range s.meters {
		s.meters[w].begin(epoch)
		if w >= s.workers {
			s.meters[w].enter(idle)
			s.spare <- &s.meters[w]
		}
	}
}

// room is how many results may wait, beside one for each worker.
func (s *stage) room() int {
	if len(s.outputs) == 0 {
		return 0
	}
	return s.outputs[0].capacity() - s.crew.workers
}

// stop tells the stage, and with it all in front of it, that no more of these results will be taken. Once
// is enough.
func (o *output) stop() {
	if !o.stopped.Swap(true) {
		o.gauge.stop()
		o.from.unwanted()
	}
}

// unwanted says that one of the stage's flows is not taken from any more.
func (s *stage) unwanted() {
	if s.wanted.Add(-1) <= 0 {
		s.cancel()
	}
}

// run is a worker's life. A function that ends its goroutine (runtime.Goexit, as t.FailNow does) ends
// the run, because it takes the worker with it.
func (s *stage) run(p *Pipeline, m *meter) {
	returned := false
	defer func() {
		if !returned {
			p.abort(fmt.Errorf("pipe: a function of stage %q ended its goroutine", s.name))
		}
		if s.gone(m) {
			s.leave()
		}
	}()
	s.work(s.ctx, m)
	returned = true
}
