package pipe

import (
	"context"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// To ends a flow. f is called for every item, as by Map, and takes ownership of it. If all flows of a pipeline end in
// sinks, Run runs it. If it also has a loop, All waits for its sinks.
//
// The error that ends the flow is that of the run, unless the run has ended before. If it is an item's failure, the run
// ends at once.
func To[T any](in *Flow[T], name string, s Stage, f func(context.Context, T) error) {
	st := in.pipeline.add(name, &s)
	k := &sink[T]{newFunction(in, st, s,
		func(ctx context.Context, item T) (struct{}, error) { return struct{}{}, f(ctx, item) })}
	st.work, st.leave = k.work, k.leave
}

// ToChan ends a flow in a channel, which is closed after the last item. The receiver of an item owns it.
func ToChan[T any](in *Flow[T], name string, s Stage, c chan<- T) {
	To(in, name, s, func(ctx context.Context, item T) error {
		select {
		case c <- item:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	st := in.output.next
	leave := st.leave
	st.leave = func() {
		leave()
		close(c)
	}
}

type sink[T any] struct{ *function[T, struct{}] }

func (s *sink[T]) work(ctx context.Context, m *meter.Meter) {
	for ctx.Err() == nil && s.stage.mayContinue(m) {
		item, at, ok := s.in.queue.Take(m)
		if !ok {
			return
		}
		if at.Kind != queue.Result {
			continue
		}
		if _, _, err := s.apply(ctx, m, item, at); err != nil {
			s.in.pipeline.sunk(err)
			return
		}
	}
}

func (s *sink[T]) leave() {
	if err := s.in.queue.Why(); err != nil {
		s.in.pipeline.sunk(err)
	}
	s.in.stop()
}
