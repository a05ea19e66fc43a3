package pipe

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Stage says how a stage is run. The zero value is one worker.
type Stage struct {
	// Workers is how many calls of the stage's function run at a time. 0 means 1.
	Workers int
	// Order is the order of the results. The default is Ordered.
	Order Order
	// Queue is how many results may wait for the next stage, beside one for each worker. In order of
	// input this is the reorder window too: as long as it is not full, a slow item delays no other
	// work. 0 means twice the workers.
	Queue int
}

// Order is the order in which a stage hands its results on.
type Order uint8

const (
	Ordered     Order = iota // as the items came in
	AsCompleted              // as they are done
)

// stage is what all kinds of stages have in common.
type stage struct {
	name      string
	meters    []meter      // one a worker
	single    bool         // it cannot have more workers
	consumers int          // stages that take its results
	recorded  atomic.Int64 // failures that a caller recorded under its name

	work  func(context.Context, *meter) // a worker's life
	leave func()                        // once its last worker has gone
	fill  func() float64                // of the queue behind it

	ctx    context.Context // of its workers, while it runs
	cancel context.CancelFunc
	alive  atomic.Int64 // workers
}

// add begins a stage of the pipeline. Missing settings get their defaults in s.
func (p *Pipeline) add(name string, s *Stage) *stage {
	if s.Workers < 0 {
		p.problem("stage %q: Workers %d is negative", name, s.Workers)
	}
	if s.Queue < 0 {
		p.problem("stage %q: Queue %d is negative", name, s.Queue)
	}
	if s.Order > AsCompleted {
		p.problem("stage %q: Order %d is no order", name, s.Order)
	}
	for _, other := range p.stages {
		if other.name == name {
			p.problem("stage %q: another one has this name", name)
		}
	}
	s.Workers = max(s.Workers, 1)
	if s.Queue <= 0 {
		s.Queue = 2 * s.Workers
	}
	st := &stage{name: name, meters: make([]meter, s.Workers)}
	p.stages = append(p.stages, st)
	return st
}

// begin makes the stage's context, within that of the stage it works for.
func (s *stage) begin(ctx context.Context, epoch time.Time) context.Context {
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.alive.Store(int64(len(s.meters)))
	for w := range s.meters {
		s.meters[w].begin(epoch)
	}
	return s.ctx
}

// run is a worker's life. A function that ends its goroutine (runtime.Goexit, as t.FailNow does) ends
// the run, because it takes the worker with it.
func (s *stage) run(p *Pipeline, m *meter) {
	returned := false
	defer func() {
		if !returned {
			p.abort(fmt.Errorf("pipe: a function of stage %q ended its goroutine", s.name))
		}
		m.enter(idle)
		if s.alive.Add(-1) == 0 {
			s.leave()
		}
	}()
	s.work(s.ctx, m)
	returned = true
}
