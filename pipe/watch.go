package pipe

import (
	"context"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Watch reports items on which a function has been at work for too long, for instance because storage does not respond
// or a decoder loops. It does not end them: see Stage.Timeout.
type Watch struct {
	// After is how long an item may be in work. 0 disables Watch.
	After time.Duration
	// Tell is called once for each such item, from its own goroutine, one at a time.
	Tell func(stats.Stuck)
}

// assign records the item that a worker begins.
func assign(m *meter.Meter, item any, number int64) {
	id, file := names(item)
	m.Assign(id, file, number)
}

// stuck returns the items that have been in work for longer than Watch allows.
func (p *Pipeline) stuck(tell bool) (all []stats.Stuck) {
	after := p.options.Watch.After
	if after <= 0 {
		return nil
	}
	for _, s := range p.stages {
		for w := range s.meters {
			if item, ok := s.meters[w].Stuck(after, tell); ok {
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
