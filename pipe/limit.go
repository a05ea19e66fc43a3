package pipe

import (
	"context"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

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
	l := &limit[T]{in: in, left: n, out: queue.NewOutlet(out.queue)}
	out.stage.work, out.stage.leave = l.work, l.leave
	return out
}

type limit[T any] struct {
	in   *Flow[T]
	left int
	out  queue.Outlet[T]
}

func (l *limit[T]) work(ctx context.Context, m *meter.Meter) {
	for l.left > 0 && ctx.Err() == nil && l.out.Reserve(m) {
		item, at, ok := l.in.queue.Take(m)
		if !ok {
			return
		}
		if at.Kind == queue.Border {
			l.out.EndEpoch()
			continue
		}
		l.left--
		m.Done(meter.Passed)
		l.out.Pass(item)
	}
}

func (l *limit[T]) leave() {
	var why error
	if l.left > 0 {
		why = l.in.queue.Why()
	}
	l.out.Close(why)
	l.in.stop()
}
