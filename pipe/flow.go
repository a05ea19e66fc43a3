package pipe

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// Flow is the results of a stage, as the input of the next. Each flow is the input of one stage, or of All or Epochs.
type Flow[T any] struct {
	pipeline *Pipeline
	stage    *stage
	queue    *queue.Queue[T]
	output   *output
}

// sizer is an item whose bytes can be counted.
type sizer interface{ Size() int64 }

// newFlow returns the flow of a new stage's results.
func newFlow[T any](p *Pipeline, name string, s Stage) *Flow[T] {
	st := p.add(name, &s)
	return newOutput[T](p, st, s)
}

// newOutput returns one more flow of a stage's results.
func newOutput[T any](p *Pipeline, st *stage, s Stage) *Flow[T] {
	q := queue.New[T](len(st.meters)+s.Queue, !s.AsCompleted)
	q.Confine(st.workers + s.Queue)
	if s.QueueBytes > 0 {
		var none T
		if _, ok := any(none).(sizer); !ok {
			p.problem("stage %q: QueueBytes needs results with a method Size() int64, but %T has none", st.name, none)
		}
		q.LimitBytes(s.QueueBytes, func(item T) int64 { return any(item).(sizer).Size() })
	}
	o := &output{gauge: q, from: st, showHole: q.ShowHoles, widen: q.Widen}
	st.outputs = append(st.outputs, o)
	return &Flow[T]{pipeline: p, stage: st, queue: q, output: o}
}

// handTo sets the stage that takes the results.
func (f *Flow[T]) handTo(next *stage) {
	if f.output.next != nil {
		f.pipeline.problem("stage %q: its results cannot go to %q too", f.stage.name, next.name)
	}
	f.output.next = next
	next.inputs = append(next.inputs, f.queue)
}

// stop reports that no more results will be taken.
func (f *Flow[T]) stop() { f.output.stop() }

// All runs the pipeline and yields its results, which the loop's body owns. The run starts when the loop begins. All
// works only once. When the loop ends, for whatever reason, all workers have ended. A function that ignores its context
// delays the end.
//
// An error comes once, after all delivered results. These errors come after the results of all earlier items:
//   - the source's own error,
//   - the *Failure of an item under the policy Fail.
//
// These come at once:
//   - an error that wraps ErrTooManyFailures,
//   - an error of the ledger: no result comes after the failure that it refused,
//   - the cause of ctx's end,
//   - an error that wraps ErrOptions, for a pipeline that cannot run.
//
// If several stages end the run, their errors are joined, and this is the first of them.
//
// As a method value, All is a source for FromFunc: one pipeline within another.
func (f *Flow[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, items := range f.Epochs(ctx) {
			for item, err := range items {
				if !yield(item, err) {
					return
				}
			}
		}
	}
}

// Epochs is All, by epoch: the inner loop ends at the end of an epoch, while the workers have started the next one. If
// the body breaks out of an inner loop, the rest of that epoch is released when the outer loop continues. There are as
// many epochs as the source has (see FromEpochs), else one. An error comes last in the inner loop.
func (f *Flow[T]) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[T, error]] {
	return func(yield func(int, iter.Seq2[T, error]) bool) {
		running, err := f.pipeline.begin(ctx, f.output)
		if err != nil {
			yield(0, failed[T](err))
			return
		}
		c := &consumer[T]{flow: f, ctx: running}
		defer c.stop(errBroken) // also if the loop's body panics
		for epoch := 0; c.more(); epoch++ {
			if !yield(epoch, c.items) {
				return
			}
			c.skip()
		}
	}
}

// failed yields only an error.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
