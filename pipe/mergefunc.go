package pipe

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
	"github.com/spoolmedia/spool/pipe/stats"
)

// MergeFunc merges several flows with f. f is called once per epoch, with one function per flow. That function returns
// the flow's next item, which f then owns, and false after the flow's last item of the epoch. Items that f does not
// take are released. The merged flow's next epoch begins when all flows have reached the border, and it ends when all
// flows have ended. It has one worker.
//
// An error of f ends the run after all earlier results. So does an error of a flow, whose function then returns false.
func MergeFunc[T, U any](name string, s Stage, f func(context.Context, []func() (T, bool)) iter.Seq2[U, error],
	flows ...*Flow[T]) *Flow[U] {
	p := pipelineOf(flows)
	s.alone(p, name, "a merge")
	out := newFlow[U](p, name, s)
	out.stage.single, out.stage.kind = true, stats.Merge
	g := &funcMerge[T, U]{f: f, flows: flows, out: queue.NewOutlet(out.queue), live: make([]bool, len(flows))}
	for i, flow := range flows {
		flow.handTo(out.stage)
		g.live[i] = true
	}
	out.stage.work, out.stage.leave = g.work, g.leave
	return out
}

type funcMerge[T, U any] struct {
	f     func(context.Context, []func() (T, bool)) iter.Seq2[U, error]
	flows []*Flow[T]
	live  []bool // flows that have not ended
	out   queue.Outlet[U]
	err   error // of a flow
}

func (g *funcMerge[T, U]) work(ctx context.Context, m *meter.Meter) {
	for room := g.out.Reserve(m); room; room = g.out.Reserve(m) {
		borders, wanted, err := g.epoch(ctx, m)
		switch {
		case err != nil:
			g.out.Fail(g.flows[0].pipeline.caused(ctx, err))
			return
		case !wanted || borders == 0:
			return
		}
		g.out.EndEpoch()
	}
}

// epoch calls f for the flows' items up to their borders, and returns how many flows have reached one. It begins and
// ends with a reserved place, unless no more is wanted.
func (g *funcMerge[T, U]) epoch(ctx context.Context, m *meter.Meter) (borders int, wanted bool, err error) {
	next := make([]func() (T, bool), len(g.flows))
	for i := range g.flows {
		over := !g.live[i]
		next[i] = func() (item T, ok bool) {
			if over || ctx.Err() != nil {
				return item, false
			}
			m.Enter(meter.Working) // the time until here was work, whatever wait follows
			var at queue.Mark
			item, at, ok = g.flows[i].queue.Take(m)
			switch {
			case ok && at.Kind == queue.Result:
				m.Done(meter.Passed)
				return item, true
			case ok:
				borders++
			default:
				g.live[i] = false
				if g.err == nil {
					g.err = g.flows[i].queue.Why()
				}
			}
			over = true
			return item, false
		}
	}
	wanted, err = g.run(ctx, m, next)
	if wanted && err == nil {
		for _, rest := range next {
			for item, ok := rest(); ok; item, ok = rest() {
				queue.Release(item)
			}
		}
		err = g.err
	}
	return borders, wanted, err
}

// run passes on the results of f.
func (g *funcMerge[T, U]) run(ctx context.Context, m *meter.Meter, next []func() (T, bool)) (wanted bool, err error) {
	defer catch(&err)
	for result, err := range g.f(ctx, next) {
		if err != nil {
			return true, err
		}
		m.Enter(meter.Working) // as above
		g.out.Pass(result)
		if !g.out.Reserve(m) {
			return false, nil
		}
	}
	return ctx.Err() == nil, nil
}

func (g *funcMerge[T, U]) leave() {
	g.out.Close(g.err)
	for _, f := range g.flows {
		f.stop()
	}
}
