package pipe

import "context"

// Limit lets n items pass, of all epochs together, and ends what is in front of it. Behind stages that
// drop what fails, these are n good ones: failed items are made up for by those that follow.
func Limit[T any](in *Flow[T], name string, s Stage, n int) *Flow[T] {
	s.alone(in.pipeline, name, "a limit")
	if n < 0 {
		in.pipeline.problem("stage %q: %d items", in.pipeline.prefix+name, n)
	}
	out := newFlow[T](in.pipeline, name, s)
	out.stage.single = true
	in.handTo(out.stage)
	l := &limit[T]{in: in, left: n, out: outlet[T]{queue: out.queue}}
	out.stage.work, out.stage.leave = l.work, l.leave
	return out
}

type limit[T any] struct {
	in   *Flow[T]
	left int
	out  outlet[T]
}

func (l *limit[T]) work(ctx context.Context, m *meter) {
	for l.left > 0 && ctx.Err() == nil && l.out.reserve(m) {
		item, at, ok := l.in.queue.take(m)
		if !ok {
			return
		}
		if at.kind == border {
			l.out.endEpoch()
			continue
		}
		l.left--
		m.done(passed)
		l.out.pass(item)
	}
}

func (l *limit[T]) leave() {
	var why error
	if l.left > 0 {
		why = l.in.queue.why()
	}
	l.out.close(why)
	l.in.stop()
}

// Prefetch lets as many results wait as s.Queue and s.QueueBytes say, and does nothing to them: it
// evens out what comes in bursts.
func Prefetch[T any](in *Flow[T], name string, s Stage) *Flow[T] {
	return Map(in, name, s, func(_ context.Context, item T) (T, error) { return item, nil })
}
