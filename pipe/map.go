package pipe

import (
	"context"
	"errors"
)

// Map runs f for every item, in as many goroutines as s has workers.
//
// f takes its item over when it succeeds: it passes the item on in its result, or releases it. When it
// fails, or panics, the item is pipe's still, which tries it again or drops and releases it; f then
// returns nothing owned. Its context ends when results are not wanted any more: errors after that are
// not counted as failures.
//
// In order of input, results are exactly those that one worker would give, whatever the number of
// workers: also at an error, which lets everything before it through and nothing after it.
func Map[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) (Out, error)) *Flow[Out] {
	out := newFlow[Out](in.pipeline, name, s)
	out.stage.one, out.stage.replaces = true, true
	m := &mapping[In, Out]{function: newFunction(in, out.stage, s, f), out: out.queue}
	out.stage.work, out.stage.leave = m.work, m.leave
	return out
}

// Filter drops the items that keep is not true of, and releases them: that is no failure. keep is lent
// its item.
func Filter[T any](in *Flow[T], name string, s Stage, keep func(context.Context, T) (bool, error)) *Flow[T] {
	return Map(in, name, s, func(ctx context.Context, item T) (T, error) {
		ok, err := keep(ctx, item)
		if err == nil && !ok {
			err = errFiltered
		}
		return item, err
	})
}

// errFiltered is that of an item that a filter drops.
var errFiltered = errors.New("pipe: filtered")

type mapping[In, Out any] struct {
	*function[In, Out]
	out *queue[Out]
}

func (s *mapping[In, Out]) work(ctx context.Context, m *meter) {
	for ctx.Err() == nil && s.stage.stays(m) && s.out.reserve(m) {
		item, at, ok := s.in.queue.take(m)
		switch {
		case !ok:
			return
		case at.kind == border:
			s.out.border(m, at)
			continue
		case at.kind == hole:
			s.out.drop(at)
			continue
		}
		result, ending, err := s.apply(ctx, m, item, at)
		switch {
		case err != nil:
			s.out.finish(at, err)
			return
		case ending == passed:
			s.out.put(at, result)
		default:
			s.out.drop(at)
		}
	}
}

func (s *mapping[In, Out]) leave() {
	s.out.close(s.in.queue.why())
	s.in.stop()
}
