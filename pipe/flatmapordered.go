package pipe

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// itemQueue is the results of one item of an ordered FlatMap. It goes to the joining stage before its first result
// exists, so that the results of the item whose turn it is are not delayed.
type itemQueue[T any] struct{ *queue.Queue[T] }

// Release releases the queue's results, including later ones.
func (l itemQueue[T]) Release() { l.Stop() }

// flatMapInOrder is FlatMap with two stages: workers that fill one queue per item, and a join that empties the queues
// one after the other.
//
// This cannot deadlock: the first queue was created first, so a worker fills it, and the join empties it.
func flatMapInOrder[In, Out any](in *Flow[In], name string, s Stage,
	f func(context.Context, In) iter.Seq2[Out, error]) *Flow[Out] {
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
	queues.stage.work = func(ctx context.Context, worker *meter.Meter) { m.fill(ctx, worker, queues.queue, size) }
	queues.stage.leave = func() {
		queues.queue.Close(in.queue.Why())
		in.stop()
	}

	out := newFlow[Out](in.pipeline, name+" join", Stage{Queue: size})
	queues.handTo(out.stage)
	out.stage.single, out.stage.joins = true, true
	j := &itemQueueJoin[Out]{queues: queues, out: queue.NewOutlet(out.queue)}
	out.stage.work, out.stage.leave = j.work, j.leave
	return out
}

// fill creates a queue for each item and fills it.
func (s *flatMapping[In, Out]) fill(ctx context.Context, m *meter.Meter, queues *queue.Queue[itemQueue[Out]],
	size int) {
	for ctx.Err() == nil && s.stage.mayContinue(m) && queues.Reserve(m) {
		item, at, ok := s.in.queue.Take(m)
		if !ok {
			return
		}
		if at.Kind == queue.Border {
			queues.Border(m, at)
			continue
		}
		l := queue.NewOutlet(queue.New[Out](size, true))
		queues.Put(at, itemQueue[Out]{l.Queue})
		err := s.expand(ctx, m, item, at, func(result Out) bool {
			if !l.Reserve(m) {
				queue.Release(result)
				return false
			}
			l.Pass(result)
			return true
		})
		l.Close(err)
		if err != nil {
			return // the join ends the stream where the queue ends
		}
	}
}

type itemQueueJoin[T any] struct {
	queues *Flow[itemQueue[T]]
	out    queue.Outlet[T]
}

func (j *itemQueueJoin[T]) work(ctx context.Context, m *meter.Meter) {
	for room := j.out.Reserve(m); room && ctx.Err() == nil; {
		l, at, ok := j.queues.queue.Take(m)
		switch {
		case !ok:
			return
		case at.Kind == queue.Border:
			j.out.EndEpoch()
			room = j.out.Reserve(m)
		default:
			room = j.empty(l, m)
		}
	}
}

// empty passes on a queue's results. It returns false when no more are wanted, or if the queue ends with an error.
func (j *itemQueueJoin[T]) empty(l itemQueue[T], m *meter.Meter) bool {
	defer l.Stop()
	for {
		item, _, ok := l.Take(m)
		if !ok {
			break
		}
		j.out.Pass(item)
		if !j.out.Reserve(m) {
			m.Interrupted()
			return false
		}
	}
	m.Done(meter.Passed)
	err := l.Why()
	if err != nil {
		j.out.Fail(err)
	}
	return err == nil
}

func (j *itemQueueJoin[T]) leave() {
	j.out.Close(j.queues.queue.Why())
	j.queues.stop()
}
