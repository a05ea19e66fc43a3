package pipe

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/tune"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Auto is the value of Stage.Workers that tunes the number of workers while the pipeline runs: see Tuning in the
// package documentation.
const Auto = -1

// mostWorkers is the default of Stage.MaxWorkers for Auto.
const mostWorkers = 64

// mostMoves limits the moves in a report, because a run of days may have many.
const mostMoves = 256

// leastQueue is the smallest default of Stage.Queue. With fewer results, workers of cheap stages wait for one another
// more often than they work.
const leastQueue = 4

// workerPool is a stage's workers. Between two items a worker may end. A new one may start while another is running, so
// the stage itself does not end meanwhile.
type workerPool struct {
	meters []meter.Meter     // one for each possible worker
	spare  chan *meter.Meter // meters without a worker; nil if the number of workers is fixed
	least  int               // minimum number of workers; 0 if it is fixed
	later  int               // workers that begin when a loop takes the first result
	gate   *tune.Gate        // nil without a limit of CPU time

	// Guarded by Pipeline.mu.
	workers int           // the number that there should be
	staffed time.Duration // time of all workers together, up to until
	until   time.Duration // a time of the run

	surplus atomic.Int64 // workers that should end
	mu      sync.Mutex
	alive   int
}

// mayContinue reports whether a worker continues with another item; if not, the worker ends. It waits while the
// pipeline has used its CPU time.
func (s *stage) mayContinue(m *meter.Meter) bool {
	if s.gate != nil {
		s.gate.Pass(m)
	}
	for n := s.surplus.Load(); n > 0; n = s.surplus.Load() {
		if s.surplus.CompareAndSwap(n, n-1) {
			s.widen(-1)
			return false
		}
	}
	return true
}

// widen changes how many results may be in work or wait.
func (s *stage) widen(places int) {
	for _, o := range s.outputs {
		o.widen(places)
	}
}

// startWorker starts one more worker. It returns false if the stage has ended, or if all workers that should end still
// run.
func (s *stage) startWorker(p *Pipeline) bool {
	if n := s.surplus.Load(); n > 0 && s.surplus.CompareAndSwap(n, n-1) {
		return true // a worker that should end continues instead
	}
	s.mu.Lock() // as long as one worker is alive, the pipeline waits for workers
	defer s.mu.Unlock()
	if s.alive == 0 {
		return false
	}
	select {
	case m := <-s.spare:
		m.Enter(meter.Working)
		s.alive++
		s.widen(1)
		p.workers.Go(func() { s.run(p, m) })
		return true
	default:
		return false
	}
}

// startLater starts the workers that have waited for the first result, unless the stage has ended.
func (s *stage) startLater(p *Pipeline) {
	if s.later == 0 {
		return // the number of workers may change
	}
	s.mu.Lock() // as in startWorker
	defer s.mu.Unlock()
	if s.alive == 0 {
		return
	}
	s.alive += s.later
	for w := s.workers - s.later; w < s.workers; w++ {
		s.meters[w].Enter(meter.Working)
		p.workers.Go(func() { s.run(p, &s.meters[w]) })
	}
}

// workerEnded records that a worker has ended. It returns true for the last one.
func (s *stage) workerEnded(m *meter.Meter) bool {
	m.Enter(meter.Idle)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare != nil {
		s.spare <- m
	}
	s.alive--
	return s.alive == 0
}

// setWorkers sets the stage's number of workers, at least one, and records the reason.
func (p *Pipeline) setWorkers(s *stage, to int, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, from := time.Since(p.start), s.workers
	s.staffed, s.until = s.workerTime(now), now
	for s.workers < to && s.startWorker(p) {
		s.workers++
	}
	if s.workers > to {
		s.surplus.Add(int64(s.workers - to))
		s.workers = to
	}
	if s.workers != from {
		p.moves = p.moves[max(len(p.moves)-mostMoves+1, 0):]
		p.moves = append(p.moves, stats.Move{At: now, Stage: s.name, From: from, To: s.workers, Reason: reason})
	}
}

// workerTime returns the time of all workers together, up to a time of the run. The caller has p.mu.
func (s *stage) workerTime(now time.Duration) time.Duration {
	return s.staffed + time.Duration(s.workers)*(now-s.until)
}

// initWorkers creates the stage's workers, and sets defaults in s.
func (c *workerPool) initWorkers(s *Stage) {
	c.workers = max(s.Workers, 1)
	most := c.workers
	if s.Workers == Auto {
		c.workers = max(s.MinWorkers, 1)
		if most = max(s.MaxWorkers, c.workers); s.MaxWorkers <= 0 {
			most = max(mostWorkers, c.workers)
		}
		c.least = c.workers
		c.spare = make(chan *meter.Meter, most)
	}
	if s.FirstWorkers > 0 {
		c.later = max(c.workers-s.FirstWorkers, 0)
	}
	if s.Queue <= 0 {
		s.Queue = max(2*most, leastQueue)
	}
	c.meters = make([]meter.Meter, most)
	for w := range c.meters {
		c.meters[w].Worker = w
	}
}
