package pipe

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// function is a stage's function with the settings for failures.
type function[In, Out any] struct {
	in    *Flow[In]
	stage *stage
	f     func(context.Context, In) (Out, error)
	set   Stage
	watch bool
	path  func(Out) int // of a Route: the path that its function chose
}

func newFunction[In, Out any](in *Flow[In], st *stage, s Stage, f func(context.Context, In) (Out, error)) *function[In,
	Out] {
	in.handTo(st)
	return &function[In, Out]{in: in, stage: st, f: f, set: s, watch: in.pipeline.options.Watch.After > 0}
}

// apply calls the function for an item, with retries. Items that fail or are interrupted are released. The error, if
// not nil, ends the run.
func (s *function[In, Out]) apply(ctx context.Context, m *meter.Meter, item In, at queue.Mark) (result Out,
	e meter.Ending, err error) {
	if s.watch {
		assign(m, item, at.Number)
	}
	var span *observation
	if o := s.in.pipeline.observer(); o != nil {
		span = s.stage.observe(o, m, item, at.Number)
	}
	defer func() {
		if span != nil && s.path != nil {
			span.span.Path = s.path(result)
		}
		span.end(e == meter.Failed)
	}()
	within := span.context(ctx)
	for attempt := 1; ; attempt++ {
		result, err = s.call(within, item)
		if err == nil {
			m.Done(meter.Passed)
			return result, meter.Passed, nil
		}
		if err == errFiltered { //nolint:errorlint // it is never wrapped
			m.Done(meter.Filtered)
			queue.Release(item)
			return result, meter.Filtered, nil
		}
		if ctx.Err() == nil && s.set.Retry.again(attempt, err) && s.set.Retry.pause(ctx, attempt) {
			m.Again()
			continue
		}
		if ctx.Err() != nil {
			m.Interrupted()
			queue.Release(item)
			return result, meter.Filtered, nil // the end of the run is no failure
		}
		m.Done(meter.Failed)
		instead, err := s.in.pipeline.fail(ctx, s.stage, at, item, attempt, err)
		if instead == nil {
			queue.Release(item)
			return result, meter.Failed, err
		}
		if result, err = replacement[Out](s.stage, instead); err != nil {
			return result, meter.Failed, s.in.pipeline.caused(ctx, err)
		}
		return result, meter.Passed, nil
	}
}

// call is one attempt.
func (s *function[In, Out]) call(ctx context.Context, item In) (result Out, err error) {
	if s.set.Timeout > 0 {
		return s.timed(ctx, item)
	}
	defer catch(&err)
	return s.f(ctx, item)
}

// timed is one attempt with a timeout.
func (s *function[In, Out]) timed(ctx context.Context, item In) (result Out, err error) {
	within, cancel := context.WithTimeout(ctx, s.set.Timeout)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(within.Err(), context.DeadlineExceeded) && ctx.Err() == nil &&
			!errors.Is(err, errFiltered) {
			err = &TimeoutError{After: s.set.Timeout, Err: err}
		}
	}()
	defer catch(&err)
	return s.f(within, item)
}
