package pipe

import "context"

// Limit passes on n items, counted over all epochs, and then ends the stages before it. After stages that drop failed
// items, these are n good items: later items replace those that failed.
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

// Prefetch passes items on unchanged, and lets as many wait as s.Queue and s.QueueBytes allow. It evens out bursts.
func Prefetch[T any](in *Flow[T], name string, s Stage) *Flow[T] {
	return Map(in, name, s, func(_ context.Context, item T) (T, error) { return item, nil })
}
