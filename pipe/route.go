package pipe

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Route passes each item to one of several paths, which are parts of a pipeline that begin here and end in one flow.
// choose, which must not release the item, returns the path, from 0.
//
// By default, results come in the order of the input. Each path may then only have ordered stages with at most one
// result per item: Map, Filter, Route. A slow path delays the others once their queues are full. With
// AsCompleted, results come as soon as they are done, and paths may have any stages.
//
// The stages of path i are named NAME/i/..., and the joining stage NAME join. If choose fails or returns no valid path,
// the item fails.
func Route[T, U any](in *Flow[T], name string, s Stage, choose func(context.Context, T) (int, error),
	paths ...func(*Flow[T]) *Flow[U]) *Flow[U] {
	p := in.pipeline
	asCompleted := s.AsCompleted
	s.alone(p, name, "a router")
	if len(paths) == 0 {
		p.problem("stage %q: no paths", p.prefix+name)
	}
	st := p.add(name, &s)
	st.single, st.one, st.kind = true, true, stats.Route
	r := &router[T]{ordered: !asCompleted, turns: queue.NewOutlet(queue.New[int](turnsAhead, true))}
	r.function = newFunction(in, st, s, func(ctx context.Context, item T) (int, error) {
		path, err := choose(ctx, item)
		if err == nil && (path < 0 || path >= len(paths)) {
			err = fmt.Errorf("path %d of %d", path, len(paths))
		}
		return path, err
	})
	r.path = func(path int) int { return path }
	st.work, st.leave = r.work, r.leave

	ends := make([]*Flow[U], len(paths))
	for i, path := range paths {
		before := len(p.stages)
		begin := newOutput[T](p, st, s)
		r.outs = append(r.outs, queue.NewOutlet(begin.queue))
		ends[i] = Within(begin, fmt.Sprintf("%s/%d", name, i), path)
		if r.ordered {
			p.keepPlaces(name, i, p.stages[before:])
		}
	}
	if !r.ordered {
		return MergeAny(name+" join", Stage{Queue: s.Queue}, ends...)
	}
	for _, o := range st.outputs {
		o.showHole()
	}
	return routeJoin(p, name+" join", s.Queue, r.turns.Queue, st, ends)
}

// turnsAhead limits the items on all paths of an ordered Route, unless their queues are shorter.
const turnsAhead = 4096

// keepPlaces makes a path's stages pass on an answer for every item.
func (p *Pipeline) keepPlaces(name string, path int, stages []*stage) {
	for _, s := range stages {
		if !s.one || !s.ordered {
			p.problem("stage %q: path %d has stage %q, which does not keep the order item by item", p.prefix+name, path, s.name)
		}
		for _, o := range s.outputs {
			o.showHole()
		}
	}
}

// allPaths is the turn of a border.
const allPaths = -1

type router[T any] struct {
	*function[T, int]
	outs    []queue.Outlet[T]
	ordered bool
	turns   queue.Outlet[int] // the paths of items, in input order
}

func (r *router[T]) work(ctx context.Context, m *meter.Meter) {
	for ctx.Err() == nil && (!r.ordered || r.turns.Reserve(m)) {
		item, at, ok := r.in.queue.Take(m)
		if !ok {
			return
		}
		path := allPaths
		if at.Kind == queue.Result {
			chosen, ending, err := r.apply(ctx, m, item, at)
			if err != nil {
				r.fail(err)
				return
			}
			if path = chosen; ending != meter.Passed {
				at.Kind = queue.Hole
			}
		}
		if !r.send(m, item, at.Kind, path) {
			return
		}
	}
}

// send passes on an item, a hole or a border. It returns false when no path takes any more.
func (r *router[T]) send(m *meter.Meter, item T, k queue.Kind, path int) bool {
	wanted := false
	switch {
	case k == queue.Border:
		for i := range r.outs {
			if r.outs[i].Reserve(m) {
				r.outs[i].EndEpoch()
				wanted = true
			}
		}
	case k == queue.Result:
		if wanted = r.outs[path].Reserve(m); wanted {
			r.outs[path].Pass(item)
		} else {
			queue.Release(item)
		}
	case r.ordered:
		path = 0 // one path must answer for it
		if wanted = r.outs[0].Reserve(m); wanted {
			r.outs[0].Nothing()
		}
	}
	if r.ordered && wanted {
		r.turns.Pass(path)
	}
	return wanted || !r.ordered // other paths may still take items
}

// fail ends the stream, for an ordered Route after everything that was sent.
func (r *router[T]) fail(err error) {
	if r.ordered {
		r.turns.Fail(err)
		return
	}
	for i := range r.outs {
		r.outs[i].Fail(err)
	}
}

func (r *router[T]) leave() {
	r.turns.Close(r.in.queue.Why())
	for _, o := range r.outs {
		o.Close(r.in.queue.Why())
	}
	r.in.stop()
}

// routeJoin takes one answer per item from the paths, in the order in which items were sent.
func routeJoin[U any](p *Pipeline, name string, size int, turns *queue.Queue[int], router *stage,
	ends []*Flow[U]) *Flow[U] {
	out := newFlow[U](p, name, Stage{Queue: size})
	out.stage.single, out.stage.one = true, true
	out.stage.kind, out.stage.router = stats.Join, router
	j := &join[U]{turns: turns, ends: ends, out: queue.NewOutlet(out.queue)}
	for _, end := range ends {
		end.handTo(out.stage)
	}
	out.stage.work, out.stage.leave = j.work, j.leave
	return out
}

type join[U any] struct {
	turns *queue.Queue[int]
	ends  []*Flow[U]
	out   queue.Outlet[U]
}

func (j *join[U]) work(ctx context.Context, m *meter.Meter) {
	for ctx.Err() == nil && j.out.Reserve(m) {
		path, _, ok := j.turns.Take(m)
		if !ok {
			if err := j.turns.Why(); err != nil {
				j.out.Fail(err)
			}
			return
		}
		if !j.answer(path, m) {
			return
		}
	}
}

// answer passes on the paths' answer to a turn. It returns false if a path has ended.
func (j *join[U]) answer(path int, m *meter.Meter) bool {
	if path != allPaths {
		item, at, ok := j.ends[path].queue.Take(m)
		switch {
		case !ok:
			if err := j.ends[path].queue.Why(); err != nil {
				j.out.Fail(err)
			}
			return false
		case at.Kind == queue.Hole:
			j.out.Nothing()
		default:
			m.Done(meter.Passed)
			j.out.Pass(item)
		}
		return true
	}
	for _, end := range j.ends {
		if _, _, ok := end.queue.Take(m); !ok {
			return false
		}
	}
	j.out.EndEpoch()
	return true
}

func (j *join[U]) leave() {
	j.out.Close(nil)
	j.turns.Stop()
	for _, end := range j.ends {
		end.stop()
	}
}
