package pipe

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Stage is the settings of a stage. The zero value is one worker that tries each item once, without a timeout.
type Stage struct {
	// Workers is how many calls of the stage's function run concurrently. 0 means 1. Auto tunes the number automatically.
	Workers int
	// FirstWorkers is how many workers begin with the run; the others begin when a loop takes the run's first result. So
	// work on later items does not delay it. 0 means all. It is not for Auto.
	FirstWorkers int
	// MinWorkers and MaxWorkers limit Auto, which begins with MinWorkers. 0 means 1 and 64.
	MinWorkers, MaxWorkers int
	// AsCompleted passes results on in the order in which they are done. The default is the order of the input.
	AsCompleted bool
	// Queue is how many results may wait for the next stage, in addition to one per worker. In an ordered stage this is
	// also the reorder window: until it is full, a slow item delays no other work. 0 means twice the workers, for Auto
	// twice MaxWorkers, and at least 4.
	Queue int
	// QueueBytes limits the waiting results in bytes, by their method Size() int64. While that many wait, no worker begins
	// another item. 0 means no limit.
	QueueBytes int64

	// Timeout limits one attempt for an item: its context ends then, and its error is a *TimeoutError. The stage still
	// waits for a function that ignores its context. 0 means no limit.
	Timeout time.Duration
	// Retry is which failed items are tried again. The zero value tries each once.
	Retry Retry
	// MaxFailures and MaxFailureRate are as in Options, for this stage alone. The rate is relative to the items that the
	// stage took.
	MaxFailures    int
	MaxFailureRate float64
}

// stage is the common part of all stages.
type stage struct {
	workerPool
	name      string
	single    bool         // it cannot have more workers
	joins     bool         // it empties the queues that the stage before it fills
	admits    bool         // it waits for bytes of a budget
	ordered   bool         // its results come in the order of the input
	one       bool         // an item has at most one result
	replaces  bool         // Options.Replace is called for its failures
	kind      stats.Kind   // how it takes items and passes results on
	router    *stage       // of a join: the Route whose paths it joins
	weights   []float64    // of a merge
	inputs    []gauge      // the queues that it takes from
	outputs   []*output    // the queues of its results
	allowance allowance    // limits of its own failures
	recorded  atomic.Int64 // failures that a caller recorded under its name

	work  func(context.Context, *meter.Meter) // the loop of a worker
	leave func()                              // called once, after the last worker has ended

	ctx    context.Context // of its workers, while it runs
	cancel context.CancelFunc
	wanted atomic.Int64 // outputs that are still taken from
}

// gauge is a queue with items of any type.
type gauge interface {
	Gauge() (fill, now float64, c queue.Counts)
	Capacity() int // in work, or waiting
	Stop()
	Why() error

	// For a profile.
	Enlarge(places, later int)
	Confine(places int)
	Pause(on bool)
	Stocked() bool
	Discard()
}

// output is one of the flows of a stage's results.
type output struct {
	gauge
	from     *stage
	next     *stage // nil if it goes to All, or nowhere
	stopped  atomic.Bool
	showHole func() // called before the run
	widen    func(places int)
}

// add adds a stage to the pipeline, and sets defaults in s.
func (p *Pipeline) add(name string, s *Stage) *stage {
	name = p.prefix + name
	s.check(p, name)
	for _, other := range p.stages {
		if other.name == name {
			p.problem("stage %q: another one has this name", name)
		}
	}
	st := &stage{name: name, ordered: !s.AsCompleted}
	st.initWorkers(s)
	st.allowance.failures, st.allowance.rate = int64(s.MaxFailures), s.MaxFailureRate
	p.stages = append(p.stages, st)
	return st
}

// check reports invalid settings.
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
	if s.Workers == Auto && s.FirstWorkers > 0 {
		p.problem("stage %q: FirstWorkers is not for Workers: Auto", name)
	}
	for _, x := range []struct {
		name  string
		value int64
	}{
		{"Workers", int64(workers)}, {"FirstWorkers", int64(s.FirstWorkers)},
		{"MinWorkers", int64(s.MinWorkers)}, {"MaxWorkers", int64(s.MaxWorkers)},
		{"Queue", int64(s.Queue)}, {"QueueBytes", s.QueueBytes}, {"MaxFailures", int64(s.MaxFailures)},
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
	if !(s.MaxFailureRate >= 0 && s.MaxFailureRate <= 1) {
		p.problem("stage %q: MaxFailureRate %v is not in [0, 1]", name, s.MaxFailureRate)
	}
}

// alone reports settings that a stage with one worker and its own order cannot have.
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
	s.AsCompleted = false
}

// begin creates the stage's context, as a child of the next stage's context. If there are several next stages, it ends
// when the last of them wants no more.
func (s *stage) begin(ctx context.Context, epoch time.Time) {
	if len(s.outputs) == 1 && s.outputs[0].next != nil {
		ctx = s.outputs[0].next.ctx
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.wanted.Store(int64(len(s.outputs)))
	s.alive = s.workers - s.later
	for w := range s.meters {
		s.meters[w].Begin(epoch)
		if w >= s.alive {
			s.meters[w].Enter(meter.Idle)
		}
		if w >= s.workers {
			s.spare <- &s.meters[w]
		}
	}
}

// room returns how many results may wait, in addition to one per worker.
func (s *stage) room() int {
	if len(s.outputs) == 0 {
		return 0
	}
	return s.outputs[0].Capacity() - s.workerPool.workers
}

// stop tells the stage, and so all stages before it, that no more of these results will be taken. Further calls do
// nothing.
func (o *output) stop() {
	if !o.stopped.Swap(true) {
		o.gauge.Stop()
		o.from.unwanted()
	}
}

// unwanted records that one of the stage's flows is no longer taken from.
func (s *stage) unwanted() {
	if s.wanted.Add(-1) <= 0 {
		s.cancel()
	}
}

// run runs a worker. A function that ends its goroutine (runtime.Goexit, as in t.FailNow) ends the run, because it also
// ends the worker.
func (s *stage) run(p *Pipeline, m *meter.Meter) {
	returned := false
	defer func() {
		if !returned {
			p.abort(fmt.Errorf("pipe: a function of stage %q ended its goroutine", s.name))
		}
		if s.workerEnded(m) {
			s.leave()
		}
	}()
	s.work(s.ctx, m)
	returned = true
}
