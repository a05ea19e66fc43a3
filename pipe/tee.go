package pipe

import (
	"context"
	"reflect"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Tee passes every item to n flows. Each flow must be the input of a stage or of All. The slowest flow limits all
// others once its queue is full. A flow that wants no more does not stop the others.
//
// share returns another owner of an item, for instance by retaining a buffer. It may be nil for items that need no
// Release.
func Tee[T any](in *Flow[T], name string, s Stage, n int, share func(T) T) []*Flow[T] {
	p := in.pipeline
	s.alone(p, name, "a tee")
	if n < 1 {
		p.problem("stage %q: %d flows", p.prefix+name, n)
	}
	if t := reflect.TypeFor[T](); share == nil && queue.Owns(t) {
		p.problem("stage %q: %v has to be released, so a tee needs share", p.prefix+name, t)
	}
	st := p.add(name, &s)
	st.single, st.kind = true, stats.Tee
	in.handTo(st)
	t := &tee[T]{in: in, share: share}
	flows := make([]*Flow[T], max(n, 0))
	for i := range flows {
		flows[i] = newOutput[T](p, st, s)
		t.outs = append(t.outs, queue.NewOutlet(flows[i].queue))
	}
	st.work, st.leave = t.work, t.leave
	return flows
}

type tee[T any] struct {
	in    *Flow[T]
	outs  []queue.Outlet[T]
	share func(T) T
}

func (t *tee[T]) work(ctx context.Context, m *meter.Meter) {
	live := make([]*queue.Outlet[T], len(t.outs))
	for i := range t.outs {
		live[i] = &t.outs[i]
	}
	for ctx.Err() == nil {
		room := live[:0]
		for _, o := range live {
			if o.Reserve(m) {
				room = append(room, o)
			}
		}
		live = room
		if len(live) == 0 {
			return
		}
		item, at, ok := t.in.queue.Take(m)
		if !ok {
			return
		}
		if at.Kind == queue.Border {
			for _, o := range live {
				o.EndEpoch()
			}
			continue
		}
		m.Done(meter.Passed)
		for _, o := range live[1:] {
			o.Pass(t.another(item))
		}
		live[0].Pass(item)
	}
}

func (t *tee[T]) another(item T) T {
	if t.share == nil {
		return item
	}
	return t.share(item)
}

func (t *tee[T]) leave() {
	for _, o := range t.outs {
		o.Close(t.in.queue.Why())
	}
	t.in.stop()
}
