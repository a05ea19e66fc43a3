package pipe

import (
	"context"
	"iter"
)

// sourceQueue is how many items may wait behind a source: they are descriptions of work, small, and a
// source that is woken late should not leave workers without any.
const sourceQueue = 64

// From begins a pipeline with what seq gives. An error from seq ends the run after everything before
// it has been delivered; All then yields this error.
//
// seq runs in a goroutine of its own and is asked for an item only when there is room for it. A
// sequence that waits for something should come by FromFunc, to hear of the end of the run.
func From[T any](p *Pipeline, name string, seq iter.Seq2[T, error]) *Flow[T] {
	return FromFunc(p, name, Stage{}, func(context.Context) iter.Seq2[T, error] { return seq })
}

// FromSeq is From for a sequence that cannot fail.
func FromSeq[T any](p *Pipeline, name string, seq iter.Seq[T]) *Flow[T] {
	return FromFunc(p, name, Stage{}, func(context.Context) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			for item := range seq {
				if !yield(item, nil) {
					return
				}
			}
		}
	})
}

// FromFunc is From for a sequence that needs the run's context, which ends when no more items are
// wanted. The stage has one worker.
func FromFunc[T any](p *Pipeline, name string, s Stage, seq func(context.Context) iter.Seq2[T, error]) *Flow[T] {
	if s.Workers > 1 {
		p.problem("stage %q: a source has one worker, not %d", name, s.Workers)
	}
	if s.Queue == 0 {
		s.Queue = sourceQueue
	}
	out := newFlow(p, name, s, release[T])
	out.stage.single = true
	src := &source[T]{seq: seq, out: out.queue}
	out.stage.work, out.stage.leave = src.work, src.leave
	return out
}

type source[T any] struct {
	seq func(context.Context) iter.Seq2[T, error]
	out *queue[T]
}

func (s *source[T]) work(ctx context.Context, m *meter) {
	if n, err := s.give(ctx, m); err != nil {
		s.out.finish(n, err)
	}
}

// give hands out all items and returns their number and the error that ended them.
func (s *source[T]) give(ctx context.Context, m *meter) (n int64, err error) {
	defer catch(&err)
	if !s.wanted(ctx, m) {
		return 0, nil
	}
	for item, err := range s.seq(ctx) {
		if err != nil {
			return n, err
		}
		m.done(false)
		s.out.put(n, item)
		n++
		if !s.wanted(ctx, m) {
			break
		}
	}
	return n, nil
}

// wanted waits for room for an item.
func (s *source[T]) wanted(ctx context.Context, m *meter) bool {
	return ctx.Err() == nil && s.out.reserve(m)
}

func (s *source[T]) leave() { s.out.close(nil) }
