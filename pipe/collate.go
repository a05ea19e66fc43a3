package pipe

import (
	"context"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// Collector collates items into batches. It gets one item at a time, in order, from one goroutine. If it has a method
// Release, that is called once, after all other calls, and releases everything that the collector still holds.
type Collector[T, B any] interface {
	// Add takes ownership of an item and may return a batch. An error is the failure of this item, which pipe then owns,
	// and the collector continues.
	Add(ctx context.Context, item T) (batch B, ok bool, err error)
	// Flush is called after the last item of an epoch until ok is false. An error ends the run.
	Flush(ctx context.Context) (batch B, ok bool, err error)
}

// timedCollector is a collector whose batches also become due after some time.
type timedCollector[B any] interface {
	due() time.Time // zero if there is no deadline
	expire() B      // returns the batch that is due
}

// Collate passes all items through a collector. Its stage has one worker.
func Collate[T, B any](in *Flow[T], name string, s Stage, c Collector[T, B]) *Flow[B] {
	s.alone(in.pipeline, name, "a collector")
	out := newFlow[B](in.pipeline, name, s)
	out.stage.single = true
	col := &collation[T, B]{out: queue.NewOutlet(out.queue), collector: c}
	col.expiring, _ = c.(timedCollector[B])
	col.function = newFunction(in, out.stage, s, func(ctx context.Context, item T) (collected[B], error) {
		batch, ok, err := c.Add(ctx, item)
		return collected[B]{batch, ok}, err
	})
	out.stage.work, out.stage.leave = col.work, col.leave
	return out
}

// collected is a batch, if ok is set.
type collected[B any] struct {
	batch B
	ok    bool
}

type collation[T, B any] struct {
	*function[T, collected[B]]
	out       queue.Outlet[B]
	collector Collector[T, B]
	expiring  timedCollector[B] // nil if the collector is not one
}

// work reserves a place in the queue, for the next batch or border, before it takes an item.
func (s *collation[T, B]) work(ctx context.Context, m *meter.Meter) {
	for room := s.out.Reserve(m); room && ctx.Err() == nil; {
		item, at, ok, late := s.take(m)
		switch {
		case late:
			room = s.hand(s.expiring.expire(), m)
		case !ok:
			s.flush(ctx, m)
			return
		case at.Kind == queue.Border:
			if room = s.flush(ctx, m); room {
				s.out.EndEpoch()
				room = s.out.Reserve(m)
			}
		case at.Kind == queue.Result:
			c, ending, err := s.apply(ctx, m, item, at)
			if err != nil {
				s.out.Fail(err)
				return
			}
			if ending == meter.Passed && c.ok {
				room = s.hand(c.batch, m)
			}
		}
	}
}

// take waits for the next item, or until a batch is due.
func (s *collation[T, B]) take(m *meter.Meter) (item T, at queue.Mark, ok, late bool) {
	if s.expiring != nil {
		if due := s.expiring.due(); !due.IsZero() {
			return s.in.queue.TakeBy(m, due)
		}
	}
	item, at, ok = s.in.queue.Take(m)
	return item, at, ok, false
}

// hand passes a batch to the next stage and waits for room for another.
func (s *collation[T, B]) hand(batch B, m *meter.Meter) bool {
	s.out.Pass(batch)
	return s.out.Reserve(m)
}

// flush passes on the remaining batches. It begins with a reserved place, and also ends with one if it returns true.
func (s *collation[T, B]) flush(ctx context.Context, m *meter.Meter) bool {
	for ctx.Err() == nil {
		batch, ok, err := s.rest(ctx)
		if err != nil {
			s.out.Fail(s.in.pipeline.caused(ctx, err))
			return false
		}
		if !ok {
			return true
		}
		if !s.hand(batch, m) {
			return false
		}
	}
	return false
}

func (s *collation[T, B]) rest(ctx context.Context) (batch B, ok bool, err error) {
	defer catch(&err)
	return s.collector.Flush(ctx)
}

func (s *collation[T, B]) leave() {
	s.out.Close(s.in.queue.Why())
	s.in.stop()
	if r, ok := s.collector.(queue.Releaser); ok {
		r.Release()
	}
}
