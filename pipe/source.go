package pipe

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// sourceQueue is the default Queue of a source. Its items are small descriptions of work, and workers should not run
// out of them if the source is woken late.
const sourceQueue = 64

// From begins a pipeline with the items of seq. An error of seq ends the run after all earlier items are delivered, and
// All then yields it.
//
// seq runs in its own goroutine and is asked for an item only when there is room for it. A sequence that waits should
// use FromFunc, so that it notices the end of the run.
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

// FromSlice is From for the items of a slice.
func FromSlice[T any](p *Pipeline, name string, items []T) *Flow[T] {
	return FromFunc(p, name, Stage{}, func(context.Context) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	})
}

// FromChan is From for the items of a channel, until it is closed. Items that are still in the channel at the end of
// the run stay there.
func FromChan[T any](p *Pipeline, name string, c <-chan T) *Flow[T] {
	return FromNext(p, name, func(ctx context.Context) (item T, err error) {
		select {
		case item, ok := <-c:
			if !ok {
				err = io.EOF
			}
			return item, err
		case <-ctx.Done():
			return item, ctx.Err()
		}
	})
}

// FromNext is From for a function that returns one item per call, and io.EOF at the end.
func FromNext[T any](p *Pipeline, name string, next func(context.Context) (T, error)) *Flow[T] {
	return FromFunc(p, name, Stage{}, func(ctx context.Context) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			for {
				item, err := next(ctx)
				if errors.Is(err, io.EOF) || !yield(item, err) || err != nil {
					return
				}
			}
		}
	})
}

// FromFunc is From for a sequence that needs the run's context, which ends when no more items are wanted. The stage has
// one worker.
func FromFunc[T any](p *Pipeline, name string, s Stage, seq func(context.Context) iter.Seq2[T, error]) *Flow[T] {
	return FromEpochs(p, name, s, 1, func(ctx context.Context, _ int) iter.Seq2[T, error] { return seq(ctx) })
}

// FromEpochs runs through n sequences one after the other, or through an endless number if n is 0. Between them are
// borders, which all stages keep: nothing of an epoch comes before the end of the previous one, batches end at borders,
// and no worker waits there. [Flow.Epochs] has a loop for each epoch.
func FromEpochs[T any](p *Pipeline, name string, s Stage, n int,
	seq func(ctx context.Context, epoch int) iter.Seq2[T, error]) *Flow[T] {
	s.alone(p, name, "a source")
	if n < 0 {
		p.problem("stage %q: %d epochs", p.prefix+name, n)
	}
	if s.Queue == 0 {
		s.Queue = sourceQueue
	}
	out := newFlow[T](p, name, s)
	out.stage.single = true
	src := &source[T]{pipeline: p, stage: out.stage, seq: seq, epochs: n, out: queue.NewOutlet(out.queue)}
	out.stage.work, out.stage.leave = src.work, src.leave
	return out
}

type source[T any] struct {
	pipeline *Pipeline
	stage    *stage
	seq      func(context.Context, int) iter.Seq2[T, error]
	epochs   int
	out      queue.Outlet[T]
}

func (s *source[T]) work(ctx context.Context, m *meter.Meter) {
	room := s.wanted(ctx, m)
	for epoch := 0; room; epoch++ {
		var err error
		if room, err = s.give(ctx, m, epoch); err != nil {
			s.out.Fail(s.pipeline.caused(ctx, err))
			return
		}
		if epoch+1 == s.epochs || !room {
			return
		}
		s.out.EndEpoch()
		room = s.wanted(ctx, m)
	}
}

// give passes on an epoch. It begins and ends with a reserved place, unless room is false: then no more is wanted.
func (s *source[T]) give(ctx context.Context, m *meter.Meter, epoch int) (room bool, err error) {
	defer catch(&err)
	span := s.stage.observe(s.pipeline.observer(), m, nil, 0)
	for item, err := range s.seq(ctx, epoch) {
		if err != nil {
			return true, err
		}
		m.Done(meter.Passed)
		if span != nil {
			span.listed(item, s.out.Number())
		}
		s.out.Pass(item)
		if !s.wanted(ctx, m) {
			return false, nil
		}
		span = s.stage.observe(s.pipeline.observer(), m, nil, 0)
	}
	return true, nil
}

// wanted waits for room for an item.
func (s *source[T]) wanted(ctx context.Context, m *meter.Meter) bool {
	return ctx.Err() == nil && s.out.Reserve(m)
}

func (s *source[T]) leave() { s.out.Close(nil) }
