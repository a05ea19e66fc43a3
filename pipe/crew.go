package pipe

import (
	"sync"
	"sync/atomic"
	"time"
)

// Auto as Stage.Workers lets the pipeline find the number of workers while it runs: see Tuning in the
// package's documentation.
const Auto = -1

// mostWorkers is how many workers Auto gives a stage at most, if Stage.MaxWorkers does not say.
const mostWorkers = 64

// mostMoves is how many moves a report has: in a run of days there may be many.
const mostMoves = 256

// leastQueue is how many results wait at least for the next stage, by default: with fewer, workers of cheap stages wait for
// one another more often than they work.
const leastQueue = 4

// crew is a stage's workers. Between two items a worker may leave, and another may come as long as
// there is one: so the stage itself does not end by it.
type crew struct {
	meters []meter     // one for each worker there can be
	spare  chan *meter // those of workers that are not there; nil if their number is fixed
	least  int         // of them that stay; of a fixed number, 0
	gate   *gate       // nil if CPU time is not bounded

	// Of Pipeline.mu.
	workers int           // as many as there are to be
	staffed time.Duration // of all of them, until
	until   time.Duration // of the run

	surplus atomic.Int64 // workers that are to leave
	mu      sync.Mutex
	alive   int
}

// stays is asked by a worker between two items. It waits where the pipeline has used its CPU time; if it
// is false, the worker leaves.
func (s *stage) stays(m *meter) bool {
	if s.gate != nil {
		s.gate.pass(m)
	}
	for n := s.surplus.Load(); n > 0; n = s.surplus.Load() {
		if s.surplus.CompareAndSwap(n, n-1) {
			s.widen(-1)
			return false
		}
	}
	return true
}

// widen changes how many results may wait, or be in work.
func (s *stage) widen(places int) {
	for _, o := range s.outputs {
		o.widen(places)
	}
}

// hire starts one more worker. It is false if the stage is over, or all who left are not gone yet.
func (s *stage) hire(p *Pipeline) bool {
	if n := s.surplus.Load(); n > 0 && s.surplus.CompareAndSwap(n, n-1) {
		return true // somebody who was to leave stays
	}
	s.mu.Lock() // as long as one worker is alive, the pipeline waits for workers
	defer s.mu.Unlock()
	if s.alive == 0 {
		return false
	}
	select {
	case m := <-s.spare:
		m.enter(working)
		s.alive++
		s.widen(1)
		p.workers.Go(func() { s.run(p, m) })
		return true
	default:
		return false
	}
}

// gone notes that a worker has left, or come to its end. It is true for the last one.
func (s *stage) gone(m *meter) bool {
	m.enter(idle)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare != nil {
		s.spare <- m
	}
	s.alive--
	return s.alive == 0
}

// staff moves the stage to a number of workers, at least one, and notes why.
func (p *Pipeline) staff(s *stage, to int, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, from := time.Since(p.start), s.workers
	s.staffed, s.until = s.staffing(now), now
	for s.workers < to && s.hire(p) {
		s.workers++
	}
	if s.workers > to {
		s.surplus.Add(int64(s.workers - to))
		s.workers = to
	}
	if s.workers != from {
		p.moves = p.moves[max(len(p.moves)-mostMoves+1, 0):]
		p.moves = append(p.moves, Move{At: now, Stage: s.name, From: from, To: s.workers, Reason: reason})
	}
}

// staffing is the time of all workers together, until a moment of the run. The caller holds p.mu.
func (s *stage) staffing(now time.Duration) time.Duration {
	return s.staffed + time.Duration(s.workers)*(now-s.until)
}

// recruit gives the stage its workers, and missing settings their defaults in s.
func (c *crew) recruit(s *Stage) {
	c.workers = max(s.Workers, 1)
	most := c.workers
	if s.Workers == Auto {
		c.workers = max(s.MinWorkers, 1)
		if most = max(s.MaxWorkers, c.workers); s.MaxWorkers <= 0 {
			most = max(mostWorkers, c.workers)
		}
		c.least = c.workers
		c.spare = make(chan *meter, most)
	}
	if s.Queue <= 0 {
		s.Queue = max(2*most, leastQueue)
	}
	c.meters = make([]meter, most)
}
