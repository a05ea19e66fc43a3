package pipe

import (
	"context"
	"fmt"
)

// Route passes each item to one of several paths, which are parts of a pipeline that begin here and end in one flow.
// choose, which must not release the item, returns the path, from 0.
//
// By default, results come in the order of the input. Each path may then only have ordered stages with at most one
// result per item: Map, Filter, Prefetch, Route. A slow path delays the others once their queues are full. With
// AsCompleted, results come as soon as they are done, and paths may have any stages.
//
// The stages of path i are named NAME/i/..., and the joining stage NAME join. If choose fails or returns no valid path,
// the item fails.
func Route[T, U any](in *Flow[T], name string, s Stage, choose func(context.Context, T) (int, error), paths ...func(*Flow[T]) *Flow[U]) *Flow[U] {
	p := in.pipeline
	order := s.Order
	s.alone(p, name, "a router")
	if len(paths) == 0 {
		p.problem("stage %q: no paths", p.prefix+name)
	}
	st := p.add(name, &s)
	st.single, st.one = true, true
	r := &router[T]{ordered: order == Ordered, turns: outlet[int]{queue: newQueue[int](turnsAhead, Ordered)}}
	r.function = newFunction(in, st, s, func(ctx context.Context, item T) (int, error) {
		path, err := choose(ctx, item)
		if err == nil && (path < 0 || path >= len(paths)) {
			err = fmt.Errorf("path %d of %d", path, len(paths))
		}
		return path, err
	})
	st.work, st.leave = r.work, r.leave

	ends := make([]*Flow[U], len(paths))
	for i, path := range paths {
		before := len(p.stages)
		begin := newOutput[T](p, st, s)
		r.outs = append(r.outs, outlet[T]{queue: begin.queue})
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
	return routeJoin(p, name+" join", s.Queue, r.turns.queue, ends)
}

// turnsAhead limits the items on all paths of an ordered Route, unless their queues are shorter.
const turnsAhead = 4096

// keepPlaces makes a path's stages pass on an answer for every item.
func (p *Pipeline) keepPlaces(name string, path int, stages []*stage) {
	for _, s := range stages {
		if !s.one || s.order != Ordered {
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
	outs    []outlet[T]
	ordered bool
	turns   outlet[int] // the paths of items, in input order
}

func (r *router[T]) work(ctx context.Context, m *meter) {
	for ctx.Err() == nil && (!r.ordered || r.turns.reserve(m)) {
		item, at, ok := r.in.queue.take(m)
		if !ok {
			return
		}
		path := allPaths
		if at.kind == result {
			chosen, ending, err := r.apply(ctx, m, item, at)
			if err != nil {
				r.fail(err)
				return
			}
			if path = chosen; ending != passed {
				at.kind = hole
			}
		}
		if !r.send(m, item, at.kind, path) {
			return
		}
	}
}

// send passes on an item, a hole or a border. It returns false when no path takes any more.
func (r *router[T]) send(m *meter, item T, k kind, path int) bool {
	wanted := false
	switch {
	case k == border:
		for i := range r.outs {
			if r.outs[i].reserve(m) {
				r.outs[i].endEpoch()
				wanted = true
			}
		}
	case k == result:
		if wanted = r.outs[path].reserve(m); wanted {
			r.outs[path].pass(item)
		} else {
			release(item)
		}
	case r.ordered:
		path = 0 // one path must answer for it
		if wanted = r.outs[0].reserve(m); wanted {
			r.outs[0].nothing()
		}
	}
	if r.ordered && wanted {
		r.turns.pass(path)
	}
	return wanted || !r.ordered // other paths may still take items
}

// fail ends the stream, for an ordered Route after everything that was sent.
func (r *router[T]) fail(err error) {
	if r.ordered {
		r.turns.fail(err)
		return
	}
	for i := range r.outs {
		r.outs[i].fail(err)
	}
}

func (r *router[T]) leave() {
	r.turns.close(r.in.queue.why())
	for _, o := range r.outs {
		o.close(r.in.queue.why())
	}
	r.in.stop()
}

// routeJoin takes one answer per item from the paths, in the order in which items were sent.
func routeJoin[U any](p *Pipeline, name string, size int, turns *queue[int], ends []*Flow[U]) *Flow[U] {
	out := newFlow[U](p, name, Stage{Queue: size})
	out.stage.single, out.stage.one = true, true
	j := &join[U]{turns: turns, ends: ends, out: outlet[U]{queue: out.queue}}
	for _, end := range ends {
		end.handTo(out.stage)
	}
	out.stage.work, out.stage.leave = j.work, j.leave
	return out
}

type join[U any] struct {
	turns *queue[int]
	ends  []*Flow[U]
	out   outlet[U]
}

func (j *join[U]) work(ctx context.Context, m *meter) {
	for ctx.Err() == nil && j.out.reserve(m) {
		path, _, ok := j.turns.take(m)
		if !ok {
			if err := j.turns.why(); err != nil {
				j.out.fail(err)
			}
			return
		}
		if !j.answer(path, m) {
			return
		}
	}
}

// answer passes on the paths' answer to a turn. It returns false if a path has ended.
func (j *join[U]) answer(path int, m *meter) bool {
	if path != allPaths {
		item, at, ok := j.ends[path].queue.take(m)
		switch {
		case !ok:
			if err := j.ends[path].queue.why(); err != nil {
				j.out.fail(err)
			}
			return false
		case at.kind == hole:
			j.out.nothing()
		default:
			m.done(passed)
			j.out.pass(item)
		}
		return true
	}
	for _, end := range j.ends {
		if _, _, ok := end.queue.take(m); !ok {
			return false
		}
	}
	j.out.endEpoch()
	return true
}

func (j *join[U]) leave() {
	j.out.close(nil)
	j.turns.stop()
	for _, end := range j.ends {
		end.stop()
	}
}
