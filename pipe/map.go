package pipe

import "context"

// Map runs f for every item, in as many goroutines as s has workers.
//
// f owns its item on every path: it releases what it does not return, also on error. Its result is
// owned by the next stage; with an error it returns nothing owned. Its context ends when results are
// not wanted any more: errors after that are not counted as failures. A panic in f is the item's
// failure.
//
// In order of input, results are exactly those that one worker would give, whatever the number of
// workers: also at an error, which lets everything before it through and nothing after it.
func Map[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) (Out, error)) *Flow[Out] {
	out := newFlow(in.pipeline, name, s, release[Out])
	in.handTo(out.stage)
	m := &mapping[In, Out]{stage: out.stage, in: in, out: out.queue, f: f}
	out.stage.work, out.stage.leave = m.work, m.leave
	return out
}

type mapping[In, Out any] struct {
	stage *stage
	in    *Flow[In]
	out   *queue[Out]
	f     func(context.Context, In) (Out, error)
}

func (s *mapping[In, Out]) work(ctx context.Context, m *meter) {
	for ctx.Err() == nil && s.out.reserve(m) {
		item, number, ok := s.in.queue.take(m)
		if !ok {
			return
		}
		result, err := s.call(ctx, item)
		switch {
		case err == nil:
			m.done(false)
			s.out.put(number, result)
		case ctx.Err() != nil: // interrupted
			s.out.skip(number)
		default:
			m.done(true)
			if err := s.in.pipeline.fail(s.stage.name, number, item, err); err != nil {
				s.out.finish(number, err)
				return
			}
			s.out.skip(number)
		}
	}
}

func (s *mapping[In, Out]) call(ctx context.Context, item In) (result Out, err error) {
	defer catch(&err)
	return s.f(ctx, item)
}

func (s *mapping[In, Out]) leave() {
	s.out.close(s.in.queue.why())
	s.in.stop()
}
