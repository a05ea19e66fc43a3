package pipe

import (
	"context"
	"iter"
)

// Flow is the results of a stage on their way to the next. Each flow goes to one stage, or to All.
type Flow[T any] struct {
	pipeline *Pipeline
	stage    *stage
	queue    *queue[T]
}

// releaser is what an item implements that holds something to give back.
type releaser interface{ Release() }

func release[T any](item T) {
	if r, ok := any(item).(releaser); ok {
		r.Release()
	}
}

// newFlow makes the flow of a new stage's results.
func newFlow[T any](p *Pipeline, name string, s Stage, release func(T)) *Flow[T] {
	st := p.add(name, &s)
	q := newQueue(s.Workers+s.Queue, s.Order, release)
	st.fill = q.fill
	return &Flow[T]{pipeline: p, stage: st, queue: q}
}

// handTo notes which stage takes the results.
func (f *Flow[T]) handTo(next *stage) {
	if f.stage.consumers++; f.stage.consumers > 1 {
		f.pipeline.problem("stage %q: its results cannot go to %q too", f.stage.name, next.name)
	}
}

// stop tells the stage, and with it all in front of it, that no more results will be taken.
func (f *Flow[T]) stop() {
	f.stage.cancel()
	f.queue.stop()
}

// All runs the pipeline and gives its results, which the loop's body owns. It starts everything when
// the loop begins, works only once, and has waited for all workers when the loop is over, whatever
// ended it: a function that ignores its context holds it up.
//
// An error comes last, once, after everything that was delivered:
//   - the source's own error, or the *Failure of an item under the policy Fail, after all that came before it;
//   - an error that wraps ErrTooManyFailures, at once;
//   - the cause of ctx's end, at once;
//   - an error that wraps ErrOptions, for a pipeline that cannot run.
func (f *Flow[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		running, err := f.pipeline.begin(ctx, f.stage)
		if err == nil {
			var broken bool
			if broken, err = f.deliver(running, yield); broken {
				return
			}
		}
		if err == nil {
			err = f.pipeline.overspent()
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// deliver runs the loop. It returns after all workers have gone; broken says that the loop's body
// wanted no more.
func (f *Flow[T]) deliver(ctx context.Context, yield func(T, error) bool) (broken bool, err error) {
	defer f.pipeline.finish() // also when the loop's body panics
	defer f.stop()
	m := &f.pipeline.consumer
	for ctx.Err() == nil {
		item, _, ok := f.queue.take(m)
		if !ok {
			break
		}
		broken = !yield(item, nil)
		m.done(false)
		if broken {
			return true, nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	return false, f.queue.why()
}
