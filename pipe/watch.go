package pipe

import (
	"context"
	"time"
)

// Watch names items on which a function has been at work for too long: a file on storage that does not
// answer, a decoder in a circle. It changes nothing: Stage.Timeout ends what can be ended.
type Watch struct {
	// After is how long an item may be in work. 0 does not look.
	After time.Duration
	// Tell is called once for each such item, from a goroutine of its own, one at a time.
	Tell func(Stuck)
}

// Stuck is an item that has been in work for long.
type Stuck struct {
	ID    string        // as a Failure has it
	File  string        // as a Failure has it
	Stage string        // whose function it is
	For   time.Duration // until now
}

// assignment is what a worker is at work on.
type assignment struct {
	busy   bool
	told   bool
	number int64
	id     string // empty for the number
	file   string
	since  time.Duration // of the run
}

// working notes what a worker begins. The names are asked for here, because the item belongs to the
// function afterwards.
func (m *meter) working(item any, number int64) {
	id, file := names(item)
	m.mu.Lock()
	m.work = assignment{busy: true, number: number, id: id, file: file, since: time.Since(m.epoch)}
	m.mu.Unlock()
}

// stuck is the worker's item, if it has been in work for longer than after. With tell, each is given
// once only.
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

// stuck lists the items that have been in work for longer than the watch allows.
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

// watch looks until the run is over.
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
