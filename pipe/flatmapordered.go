package pipe

import (
	"context"
	"iter"
)

// itemQueue is the results of one item of an ordered FlatMap. It goes to the joining stage before its first result
// exists, so that the results of the item whose turn it is are not delayed.
type itemQueue[T any] struct{ *queue[T] }

// Release releases the queue's results, including later ones.
func (l itemQueue[T]) Release() { l.stop() }

// flatMapInOrder is FlatMap with two stages: workers that fill one queue per item, and a join that empties the queues
// one after the other.
//
// This cannot deadlock: the first queue was created first, so a worker fills it, and the join empties it.
func flatMapInOrder[In, Out any](in *Flow[In], name string, s Stage, f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
	workers := s.Workers
	if workers == Auto {
		workers = in.pipeline.cores
	}
	size := s.Queue
	if size <= 0 {
		size = 2 * workers
	}
	s.Queue = workers // full queues that wait for their turn
	queues := newFlow[itemQueue[Out]](in.pipeline, name, s)
	queues.stage.replaces = true
	in.handTo(queues.stage)
	m := &flatMapping[In, Out]{stage: queues.stage, in: in, f: f, watch: in.pipeline.options.Watch.After > 0}
	queues.stage.work = func(ctx context.Context, meter *meter) { m.fill(ctx, meter, queues.queue, size) }
	queues.stage.leave = func() {
		queues.queue.close(in.queue.why())
		in.stop()
	}

	out := newFlow[Out](in.pipeline, name+" join", Stage{Queue: size})
	queues.handTo(out.stage)
	out.stage.single, out.stage.joins = true, true
	j := &itemQueueJoin[Out]{queues: queues, out: outlet[Out]{queue: out.queue}}
	out.stage.work, out.stage.leave = j.work, j.leave
	return out
}

// fill creates a queue for each item and fills it.
func (s *flatMapping[In, Out]) fill(ctx context.Context, m *meter, queues *queue[itemQueue[Out]], size int) {
	for ctx.Err() == nil && s.stage.mayContinue(m) && queues.reserve(m) {
		item, at, ok := s.in.queue.take(m)
		if !ok {
			return
		}
		if at.kind == border {
			queues.border(m, at)
			continue
		}
		l := outlet[Out]{queue: newQueue[Out](size, Ordered)}
		queues.put(at, itemQueue[Out]{l.queue})
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
			return // the join ends the stream where the queue ends
		}
	}
}

type itemQueueJoin[T any] struct {
	queues *Flow[itemQueue[T]]
	out    outlet[T]
}

func (j *itemQueueJoin[T]) work(ctx context.Context, m *meter) {
	for room := j.out.reserve(m); room && ctx.Err() == nil; {
		l, at, ok := j.queues.queue.take(m)
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

// empty passes on a queue's results. It returns false when no more are wanted, or if the queue ends with an error.
func (j *itemQueueJoin[T]) empty(l itemQueue[T], m *meter) bool {
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

func (j *itemQueueJoin[T]) leave() {
	j.out.close(j.queues.queue.why())
	j.queues.stop()
}
