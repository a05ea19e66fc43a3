package pipe

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// Map calls f for every item, in one goroutine per worker.
//
// f takes ownership of its item if it succeeds: it passes the item on in its result, or releases it. If f fails or
// panics, pipe still owns the item, and tries it again or releases it. f then returns nothing owned. Its context ends
// when results are no longer wanted, and later errors do not count as failures.
//
// In ordered stages, the results are exactly those of one worker, whatever the number of workers. This also holds for
// an error, which follows all earlier results and is not followed by later ones.
func Map[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) (Out, error)) *Flow[Out] {
	out := newFlow[Out](in.pipeline, name, s)
	out.stage.one, out.stage.replaces = true, true
	m := &mapping[In, Out]{function: newFunction(in, out.stage, s, f), out: out.queue}
	out.stage.work, out.stage.leave = m.work, m.leave
	return out
}

// Filter drops and releases the items for which keep returns false, which is not a failure. keep must not release its
// item.
func Filter[T any](in *Flow[T], name string, s Stage, keep func(context.Context, T) (bool, error)) *Flow[T] {
	return Map(in, name, s, func(ctx context.Context, item T) (T, error) {
		ok, err := keep(ctx, item)
		if err == nil && !ok {
			err = errFiltered
		}
		return item, err
	})
}

// errFiltered is the error of an item that a filter drops.
var errFiltered = errors.New("pipe: filtered")

type mapping[In, Out any] struct {
	*function[In, Out]
	out *queue.Queue[Out]
}

func (s *mapping[In, Out]) work(ctx context.Context, m *meter.Meter) {
	for ctx.Err() == nil && s.stage.mayContinue(m) && s.out.Reserve(m) {
		item, at, ok := s.in.queue.Take(m)
		switch {
		case !ok:
			return
		case at.Kind == queue.Border:
			s.out.Border(m, at)
			continue
		case at.Kind == queue.Hole:
			s.out.Drop(at)
			continue
		}
		result, ending, err := s.apply(ctx, m, item, at)
		switch {
		case err != nil:
			s.out.Finish(at, err)
			return
		case ending == meter.Passed:
			s.out.Put(at, result)
		default:
			s.out.Drop(at)
		}
	}
}

func (s *mapping[In, Out]) leave() {
	s.out.Close(s.in.queue.Why())
	s.in.stop()
}
