package pipe

import (
	"context"
	"iter"
)

// FlatMap runs f for every item, which gives any number of results, in as many goroutines as s has
// workers.
//
// f owns its item on every path, unlike a function of Map: it may give it back before its first result,
// so the item cannot be tried again. Its results are owned by the next stage. f is asked for a result
// only when there is room for it. An error is the item's failure, after the results that came before
// it, and so is a panic.
//
// AsCompleted, results come as they are made: those of one item in their order, and between them those
// of others. In order of input, those of an item come together, and what is made of later items waits,
// up to as many results for each item in work as s.Queue says.
func FlatMap[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	if s.Retry.Attempts > 1 || s.Timeout > 0 {
		in.pipeline.problem("stage %q: a FlatMap has no Timeout and no Retry", in.pipeline.prefix+name)
	}
	ordered := s.Order == Ordered && (s.Workers > 1 || s.Workers == Auto)
	if ordered {
		return flatMapInOrder(in, name, s, f)
	}
	s.Order = AsCompleted // with one worker that is the order of input
	out := newFlow[Out](in.pipeline, name, s)
	out.stage.replaces = true
	out.queue.rivals(out.queue.limit - out.stage.workers)
	in.handTo(out.stage)
	m := &flatMapping[In, Out]{stage: out.stage, in: in, f: f, watch: in.pipeline.options.Watch.After > 0}
	out.stage.work = func(ctx context.Context, meter *meter) { m.work(ctx, meter, out.queue) }
	out.stage.leave = func() {
		out.queue.close(in.queue.why())
		in.stop()
	}
	return out
}

type flatMapping[In, Out any] struct {
	stage *stage
	in    *Flow[In]
	f     func(context.Context, In) iter.Seq2[Out, error]
	watch bool
}

// work holds one place in the queue, for the next result, from before an item is taken.
func (s *flatMapping[In, Out]) work(ctx context.Context, m *meter, out *queue[Out]) {
	for room := out.reserve(m); room && ctx.Err() == nil; {
		if !s.stage.stays(m) {
			out.giveBack()
			return
		}
		item, at, ok := s.in.queue.take(m)
		if !ok {
			return
		}
		if at.kind == border {
			out.border(m, at)
			room = out.reserve(m)
			continue
		}
		err := s.expand(ctx, m, item, at, func(result Out) bool {
			out.add(m, at, result)
			room = out.reserve(m)
			return room
		})
		if err != nil {
			out.finish(at, err)
			return
		}
		out.settle(at)
	}
}

// expand hands on an item's results. The error, if there is one, is to end the run.
func (s *flatMapping[In, Out]) expand(ctx context.Context, m *meter, item In, at mark, hand func(Out) bool) error {
	if s.watch {
		m.working(item, at.number)
	}
	wanted, err := s.results(ctx, m, item, hand)
	switch {
	case err == nil && wanted:
		m.done(passed)
		return nil
	case err == nil: // broken off
		m.dropped()
		return nil
	case ctx.Err() != nil:
		m.dropped()
		return nil //nolint:nilerr // the end of the run is no failure
	}
	m.done(failing)
	instead, err := s.in.pipeline.fail(ctx, s.stage, at, item, 1, err)
	if instead == nil {
		return err
	}
	result, err := replacement[Out](s.stage, instead)
	if err != nil {
		return s.in.pipeline.caused(ctx, err)
	}
	hand(result)
	return nil
}

// results is false when no more are wanted.
func (s *flatMapping[In, Out]) results(ctx context.Context, m *meter, item In, hand func(Out) bool) (wanted bool, err error) {
	defer catch(&err)
	for result, err := range s.f(ctx, item) {
		if err != nil {
			return true, err
		}
		m.enter(working) // until here it was work, whatever wait comes now
		if !hand(result) {
			return false, nil
		}
	}
	return true, nil
}
