package pipe

import (
	"context"
	"iter"
)

// Flow is the results of a stage on their way to the next. Each flow goes to one stage, or to All or
// Epochs.
type Flow[T any] struct {
	pipeline *Pipeline
	stage    *stage
	queue    *queue[T]
	output   *output
}

// sizer is what an item implements whose bytes are counted.
type sizer interface{ Size() int64 }

// newFlow makes the flow of a new stage's results.
func newFlow[T any](p *Pipeline, name string, s Stage) *Flow[T] {
	st := p.add(name, &s)
	return newOutput[T](p, st, s)
}

// newOutput makes one more flow of a stage's results.
func newOutput[T any](p *Pipeline, st *stage, s Stage) *Flow[T] {
	q := newQueue[T](len(st.meters)+s.Queue, s.Order)
	q.limit = st.workers + s.Queue
	if s.QueueBytes > 0 {
		var none T
		if _, ok := any(none).(sizer); !ok {
			p.problem("stage %q: QueueBytes needs results with a method Size() int64, which %T has not", st.name, none)
		}
		q.maxBytes, q.size = s.QueueBytes, func(item T) int64 { return any(item).(sizer).Size() }
	}
	o := &output{gauge: q, from: st, showHole: func() { q.holes = true }, widen: q.widen}
	st.outputs = append(st.outputs, o)
	return &Flow[T]{pipeline: p, stage: st, queue: q, output: o}
}

// handTo notes which stage takes the results.
func (f *Flow[T]) handTo(next *stage) {
	if f.output.next != nil {
		f.pipeline.problem("stage %q: its results cannot go to %q too", f.stage.name, next.name)
	}
	f.output.next = next
	next.inputs = append(next.inputs, f.queue)
}

// stop says that no more results will be taken.
func (f *Flow[T]) stop() { f.output.stop() }

// All runs the pipeline and gives its results, which the loop's body owns. It starts everything when
// the loop begins, works only once, and has waited for all workers when the loop is over, whatever
// ended it: a function that ignores its context holds it up.
//
// An error comes last, once, after everything that was delivered:
//   - the source's own error, or the *Failure of an item under the policy Fail, after all that came before it;
//   - an error that wraps ErrTooManyFailures, at once;
//   - the cause of ctx's end, at once;
//   - an error that wraps ErrOptions, for a pipeline that cannot run.
//
// Where several stages wanted to end the run, this is the first of the errors that are joined.
//
// As a method value it is a source for FromFunc: a pipeline within another.
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

// Epochs is All epoch by epoch: the inner loop ends where an epoch does, while the workers are in the
// next one already. What a broken inner loop leaves of its epoch is released when the outer one goes
// on. There are as many epochs as the source has (see FromEpochs), else one; an error comes last in
// the inner loop.
func (f *Flow[T]) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[T, error]] {
	return func(yield func(int, iter.Seq2[T, error]) bool) {
		running, err := f.pipeline.begin(ctx, f.output)
		if err != nil {
			yield(0, failed[T](err))
			return
		}
		c := &consumer[T]{flow: f, ctx: running}
		defer c.stop(errBroken) // also when the loop's body panics
		for epoch := 0; c.more(); epoch++ {
			if !yield(epoch, c.items) {
				return
			}
			c.skip()
		}
	}
}

// failed gives an error only.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
