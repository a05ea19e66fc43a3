package pipe

import (
	"context"
	"iter"
)

// lane is what one item of a FlatMap in order of input gives. It goes to the joining stage when its
// first result is not there yet, so that the results of the item whose turn it is pass without delay.
type lane[T any] struct{ *queue[T] }

// Release gives up the lane: its results, and what is still made for it.
func (l lane[T]) Release() { l.stop() }

// flatMapInOrder is FlatMap by two stages: workers that fill a lane an item, and a join that empties
// the lanes one after the other.
//
// Nobody waits in a circle: the lane at the front has been given out first, so a worker fills it, and
// the join empties it.
func flatMapInOrder[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	workers := s.Workers
	if workers == Auto {
		workers = in.pipeline.cores
	}
	size := s.Queue
	if size <= 0 {
		size = 2 * workers
	}
	s.Queue = workers // lanes that are full and wait for their turn
	lanes := newFlow[lane[Out]](in.pipeline, name, s)
	lanes.stage.replaces = true
	in.handTo(lanes.stage)
	m := &flatMapping[In, Out]{stage: lanes.stage, in: in, f: f, watch: in.pipeline.options.Watch.After > 0}
	lanes.stage.work = func(ctx context.Context, meter *meter) { m.fill(ctx, meter, lanes.queue, size) }
	lanes.stage.leave = func() {
		lanes.queue.close(in.queue.why())
		in.stop()
	}

	out := newFlow[Out](in.pipeline, name+" join", Stage{Queue: size})
	lanes.handTo(out.stage)
	out.stage.single, out.stage.joins = true, true
	j := &laneJoin[Out]{lanes: lanes, out: outlet[Out]{queue: out.queue}}
	out.stage.work, out.stage.leave = j.work, j.leave
	return out
}

// fill makes a lane for each item and fills it.
func (s *flatMapping[In, Out]) fill(ctx context.Context, m *meter, lanes *queue[lane[Out]], size int) {
	for ctx.Err() == nil && s.stage.stays(m) && lanes.reserve(m) {
		item, at, ok := s.in.queue.take(m)
		if !ok {
			return
		}
		if at.kind == border {
			lanes.border(m, at)
			continue
		}
		l := outlet[Out]{queue: newQueue[Out](size, Ordered)}
		lanes.put(at, lane[Out]{l.queue})
		err := s.expand(ctx, m, item, at, func(result Out) bool {
			if !l.reserve(m) {
				release(result)
				return false
			}
			l.pass(result)
			return true
		})
		l.close(err)
		if err != nil {
			return // the join ends the stream where the lane ends
		}
	}
}

type laneJoin[T any] struct {
	lanes *Flow[lane[T]]
	out   outlet[T]
}

func (j *laneJoin[T]) work(ctx context.Context, m *meter) {
	for room := j.out.reserve(m); room && ctx.Err() == nil; {
		l, at, ok := j.lanes.queue.take(m)
		switch {
		case !ok:
			return
		case at.kind == border:
			j.out.endEpoch()
			room = j.out.reserve(m)
		default:
			room = j.empty(l, m)
		}
	}
}

// empty hands on what a lane gives. It is false when no more is wanted, or the lane ends in an error.
func (j *laneJoin[T]) empty(l lane[T], m *meter) bool {
	defer l.stop()
	for {
		item, _, ok := l.take(m)
		if !ok {
			break
		}
		j.out.pass(item)
		if !j.out.reserve(m) {
			m.dropped()
			return false
		}
	}
	m.done(passed)
	err := l.why()
	if err != nil {
		j.out.fail(err)
	}
	return err == nil
}

func (j *laneJoin[T]) leave() {
	j.out.close(j.lanes.queue.why())
	j.lanes.stop()
}
