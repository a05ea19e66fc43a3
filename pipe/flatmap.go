package pipe

import (
	"context"
	"iter"
)

// FlatMap calls f for every item, in one goroutine per worker. f yields any number of results.
//
// f always owns its item, unlike a function of Map: it may release the item before its first result, so an item cannot
// be tried again. The next stage owns the results. f is asked for a result only when there is room for it. An error or
// a panic is a failure of the item, after the results that came before it.
//
// With AsCompleted, results come as they are made: those of one item in order, mixed with those of others. In Ordered
// stages, the results of an item come together. Results of later items wait, up to s.Queue results for each item in
// work.
func FlatMap[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	if s.Retry.Attempts > 1 || s.Timeout > 0 {
		in.pipeline.problem("stage %q: a FlatMap has no Timeout and no Retry", in.pipeline.prefix+name)
	}
	ordered := s.Order == Ordered && (s.Workers > 1 || s.Workers == Auto)
	if ordered {
		return flatMapInOrder(in, name, s, f)
	}
	s.Order = AsCompleted // with one worker this is the input order
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

// work reserves a place in the queue, for the next result, before it takes an item.
func (s *flatMapping[In, Out]) work(ctx context.Context, m *meter, out *queue[Out]) {
	for room := out.reserve(m); room && ctx.Err() == nil; {
		if !s.stage.mayContinue(m) {
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

// expand passes on an item's results. The error, if not nil, ends the run.
func (s *flatMapping[In, Out]) expand(ctx context.Context, m *meter, item In, at mark, hand func(Out) bool) error {
	if s.watch {
		m.working(item, at.number)
	}
	wanted, err := s.results(ctx, m, item, hand)
	switch {
	case err == nil && wanted:
		m.done(passed)
		return nil
	case err == nil: // no more results are wanted
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

// results returns false for wanted when no more results are wanted.
func (s *flatMapping[In, Out]) results(ctx context.Context, m *meter, item In, hand func(Out) bool) (wanted bool, err error) {
	defer catch(&err)
	for result, err := range s.f(ctx, item) {
		if err != nil {
			return true, err
		}
		m.enter(working) // the time until here was work, whatever wait follows
		if !hand(result) {
			return false, nil
		}
	}
	return true, nil
}
