package pipe

import (
	"context"
	"iter"
)

// FlatMap runs f for every item, which gives any number of results, in as many goroutines as s has workers.
//
// f owns its item on every path, and its results are owned by the next stage. They come as they are made: those of
// one item in their order, and between them those of others, unless there is one worker; s.Order is AsCompleted for
// more. f is asked for a result only when there is room for it. An error is the item's failure, after the results
// that came before it, and so is a panic.
func FlatMap[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	if s.Workers > 1 && s.Order != AsCompleted {
		in.pipeline.problem("stage %q: results of %d workers come AsCompleted", name, s.Workers)
	}
	s.Order = AsCompleted // with one worker that is the order of input
	out := newFlow(in.pipeline, name, s, release[Out])
	in.handTo(out.stage)
	m := &flatMapping[In, Out]{stage: out.stage, in: in, out: out.queue, f: f}
	out.stage.work, out.stage.leave = m.work, m.leave
	return out
}

type flatMapping[In, Out any] struct {
	stage *stage
	in    *Flow[In]
	out   *queue[Out]
	f     func(context.Context, In) iter.Seq2[Out, error]
}

// work holds one place in the queue, for the next result, from before an item is taken.
func (s *flatMapping[In, Out]) work(ctx context.Context, m *meter) {
	for room := s.out.reserve(m); room && ctx.Err() == nil; {
		item, number, ok := s.in.queue.take(m)
		if !ok {
			return
		}
		err := s.expand(ctx, item, m, &room)
		switch {
		case err == nil:
			m.done(false)
		case ctx.Err() == nil:
			m.done(true)
			if err := s.in.pipeline.fail(s.stage.name, number, item, err); err != nil {
				s.out.finish(0, err)
				return
			}
		}
	}
}

// expand hands on an item's results. room says whether there is a place for another one.
func (s *flatMapping[In, Out]) expand(ctx context.Context, item In, m *meter, room *bool) (err error) {
	defer catch(&err)
	for result, err := range s.f(ctx, item) {
		if err != nil {
			return err
		}
		s.out.put(0, result)
		if *room = s.out.reserve(m); !*room {
			return nil
		}
	}
	return nil
}

func (s *flatMapping[In, Out]) leave() {
	s.out.close(s.in.queue.why())
	s.in.stop()
}
