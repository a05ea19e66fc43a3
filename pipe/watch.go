package pipe

import (
	"context"
	"time"
)

// Watch reports items on which a function has been at work for too long, for instance because storage does not respond
// or a decoder loops. It does not end them: see Stage.Timeout.
type Watch struct {
	// After is how long an item may be in work. 0 disables Watch.
	After time.Duration
	// Tell is called once for each such item, from its own goroutine, one at a time.
	Tell func(Stuck)
}

// Stuck is an item that has been in work for long.
type Stuck struct {
	ID    string        // as in Failure
	File  string        // as in Failure
	Stage string        // the stage of the function
	For   time.Duration // time until now
}

// assignment is the item that a worker is working on.
type assignment struct {
	busy   bool
	told   bool
	number int64
	id     string // empty for the number
	file   string
	since  time.Duration // in the time of the run
}

// working records the item that a worker begins. It asks for the names here, because the function owns the item
// afterwards.
func (m *meter) working(item any, number int64) {
	id, file := names(item)
	m.mu.Lock()
	m.work = assignment{busy: true, number: number, id: id, file: file, since: time.Since(m.epoch)}
	m.mu.Unlock()
}

// stuck returns the worker's item, if it has been in work for longer than after. With tell, each item is returned only
// once.
func (m *meter) stuck(after time.Duration, tell bool) (s Stuck, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.For = time.Since(m.epoch) - m.work.since
	if !m.work.busy || s.For < after || tell && m.work.told {
		return s, false
	}
	m.work.told = m.work.told || tell
	s.ID, s.File = m.work.id, m.work.file
	if s.ID == "" {
		s.ID = number(m.work.number)
	}
	return s, true
}

// stuck returns the items that have been in work for longer than Watch allows.
func (p *Pipeline) stuck(tell bool) (all []Stuck) {
	after := p.options.Watch.After
	if after <= 0 {
		return nil
	}
	for _, s := range p.stages {
		for w := range s.meters {
			if item, ok := s.meters[w].stuck(after, tell); ok {
				item.Stage = s.name
				all = append(all, item)
			}
		}
	}
	return all
}

// watch checks regularly until the run ends.
func (p *Pipeline) watch(ctx context.Context) {
	look := time.NewTicker(max(p.options.Watch.After/4, time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			for _, s := range p.stuck(true) {
				p.options.Watch.Tell(s)
			}
		}
	}
}
