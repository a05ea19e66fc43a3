package pipe

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// FlatMap calls f for every item, in one goroutine per worker. f yields any number of results.
//
// f always owns its item, unlike a function of Map: it may release the item before its first result, so an item cannot
// be tried again. The next stage owns the results. f is asked for a result only when there is room for it. An error or
// a panic is a failure of the item, after the results that came before it.
//
// With AsCompleted, results come as they are made: those of one item in order, mixed with those of others. In ordered
// stages, the results of an item come together. Results of later items wait, up to s.Queue results for each item in
// work.
func FlatMap[In, Out any](in *Flow[In], name string, s Stage,
	f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	if s.Retry.Attempts > 1 || s.Timeout > 0 {
		in.pipeline.problem("stage %q: a FlatMap has no Timeout and no Retry", in.pipeline.prefix+name)
	}
	ordered := !s.AsCompleted && (s.Workers > 1 || s.Workers == Auto)
	if ordered {
		return flatMapInOrder(in, name, s, f)
	}
	s.AsCompleted = true // with one worker this is the input order
	out := newFlow[Out](in.pipeline, name, s)
	out.stage.replaces = true
	out.queue.Rivals(out.queue.Capacity() - out.stage.workers)
	in.handTo(out.stage)
	m := &flatMapping[In, Out]{stage: out.stage, in: in, f: f, watch: in.pipeline.options.Watch.After > 0}
	out.stage.work = func(ctx context.Context, worker *meter.Meter) { m.work(ctx, worker, out.queue) }
	out.stage.leave = func() {
		out.queue.Close(in.queue.Why())
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
func (s *flatMapping[In, Out]) work(ctx context.Context, m *meter.Meter, out *queue.Queue[Out]) {
	for room := out.Reserve(m); room && ctx.Err() == nil; {
		if !s.stage.mayContinue(m) {
			out.GiveBack()
			return
		}
		item, at, ok := s.in.queue.Take(m)
		if !ok {
			return
		}
		if at.Kind == queue.Border {
			out.Border(m, at)
			room = out.Reserve(m)
			continue
		}
		err := s.expand(ctx, m, item, at, func(result Out) bool {
			out.Add(m, at, result)
			room = out.Reserve(m)
			return room
		})
		if err != nil {
			out.Finish(at, err)
			return
		}
		out.Settle(at)
	}
}

// expand passes on an item's results. The error, if not nil, ends the run.
func (s *flatMapping[In, Out]) expand(ctx context.Context, m *meter.Meter, item In, at queue.Mark,
	hand func(Out) bool) error {
	if s.watch {
		assign(m, item, at.Number)
	}
	var span *observation
	if o := s.in.pipeline.observer(); o != nil {
		span = s.stage.observe(o, m, item, at.Number)
	}
	wanted, err := s.results(span.context(ctx), m, item, hand)
	span.end(err != nil && ctx.Err() == nil)
	switch {
	case err == nil && wanted:
		m.Done(meter.Passed)
		return nil
	case err == nil: // no more results are wanted
		m.Interrupted()
		return nil
	case ctx.Err() != nil:
		m.Interrupted()
		return nil //nolint:nilerr // the end of the run is no failure
	}
	m.Done(meter.Failed)
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
func (s *flatMapping[In, Out]) results(ctx context.Context, m *meter.Meter, item In, hand func(Out) bool) (wanted bool,
	err error) {
	defer catch(&err)
	for result, err := range s.f(ctx, item) {
		if err != nil {
			return true, err
		}
		m.Enter(meter.Working) // the time until here was work, whatever wait follows
		if !hand(result) {
			return false, nil
		}
	}
	return true, nil
}
