package pipe

import "context"

// Collector turns items into batches, one item at a time, in the order they come, from one goroutine.
// If it has a method Release, that is called once, when nothing else will be: what it then still
// holds is lost.
type Collector[T, B any] interface {
	// Add takes an item, which it owns on every path, and may return a batch. An error is the
	// failure of this item; the collector goes on.
	Add(ctx context.Context, item T) (batch B, ok bool, err error)
	// Flush is called after the last item until it is false. An error ends the run.
	Flush(ctx context.Context) (batch B, ok bool, err error)
}

// Collate passes all items through a collector. Its stage has one worker.
func Collate[T, B any](in *Flow[T], name string, s Stage, c Collector[T, B]) *Flow[B] {
	return collate(in, name, s, c, release[B])
}

func collate[T, B any](in *Flow[T], name string, s Stage, c Collector[T, B], release func(B)) *Flow[B] {
	p := in.pipeline
	if s.Workers > 1 {
		p.problem("stage %q: a collector has one worker, not %d", name, s.Workers)
		s.Workers = 1
	}
	out := newFlow(p, name, s, release)
	in.handTo(out.stage)
	out.stage.single = true
	col := &collation[T, B]{stage: out.stage, in: in, out: out.queue, collector: c}
	out.stage.work, out.stage.leave = col.work, col.leave
	return out
}

type collation[T, B any] struct {
	stage     *stage
	in        *Flow[T]
	out       *queue[B]
	collector Collector[T, B]
	batches   int64
}

func (s *collation[T, B]) work(ctx context.Context, m *meter) {
	for room := s.out.reserve(m); room && ctx.Err() == nil; {
		item, number, ok := s.in.queue.take(m)
		if !ok {
			s.flush(ctx, m)
			return
		}
		batch, ok, err := s.add(ctx, item)
		switch {
		case err == nil:
			m.done(false)
			if ok {
				room = s.hand(batch, m)
			}
		case ctx.Err() == nil:
			m.done(true)
			if err := s.in.pipeline.fail(s.stage.name, number, item, err); err != nil {
				s.out.finish(s.batches, err)
				return
			}
		}
	}
}

// hand gives a batch to the next stage and waits for room for another.
func (s *collation[T, B]) hand(batch B, m *meter) bool {
	s.out.put(s.batches, batch)
	s.batches++
	return s.out.reserve(m)
}

func (s *collation[T, B]) flush(ctx context.Context, m *meter) {
	for room := true; room && ctx.Err() == nil; {
		batch, ok, err := s.rest(ctx)
		if err != nil {
			s.out.finish(s.batches, err)
			return
		}
		if !ok {
			return
		}
		room = s.hand(batch, m)
	}
}

func (s *collation[T, B]) add(ctx context.Context, item T) (batch B, ok bool, err error) {
	defer catch(&err)
	return s.collector.Add(ctx, item)
}

func (s *collation[T, B]) rest(ctx context.Context) (batch B, ok bool, err error) {
	defer catch(&err)
	return s.collector.Flush(ctx)
}

func (s *collation[T, B]) leave() {
	s.out.close(s.in.queue.why())
	s.in.stop()
	if r, ok := s.collector.(releaser); ok {
		r.Release()
	}
}
