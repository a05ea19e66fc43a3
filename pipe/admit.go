package pipe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Budget is a limited number of bytes. Get waits until n bytes are free, or until ctx ends, and returns a value whose
// Release returns the bytes. A pool of buffers is a Budget if its Get returns a buffer; [Bytes] only counts.
type Budget[L any] interface {
	Get(ctx context.Context, n int) (L, error)
}

// ErrBudget is wrapped by the error of a run whose budget is too small.
var ErrBudget = errors.New("pipe: the budget is too small")

// Admit reserves size(item) bytes of a budget for each item. join combines the item and the reserved bytes into the
// item that goes on, whose Release must return the bytes. So one budget limits the bytes in all following stages.
// Several stages or pipelines may share a budget.
//
// One worker reserves for one item after the other, and each item reserves once. So an item waits only for earlier
// items, which need no more bytes. This cannot deadlock, whatever the number of workers. An exception is a stage that
// holds items until others come (a batch, a shuffle, a merge), if the items that it holds take all of the budget. Then
// nothing moves, and after ten seconds the run ends with ErrBudget.
//
// join takes ownership of the item and of the bytes.
func Admit[T, L, U any](in *Flow[T], name string, s Stage, b Budget[L], size func(T) int, join func(T, L) U) *Flow[U] {
	p := in.pipeline
	s.alone(p, name, "an admission")
	a := &admission[L]{pipeline: p, budget: b}
	out := Map(in, name, s, func(ctx context.Context, item T) (U, error) {
		bytes, err := a.get(ctx, size(item))
		if err != nil {
			var none U
			return none, err
		}
		return join(item, bytes), nil
	})
	out.stage.single, out.stage.admits = true, true
	a.meter = &out.stage.meters[0]
	return out
}

type admission[L any] struct {
	pipeline *Pipeline
	budget   Budget[L]
	meter    *meter
}

// stallTimeout is how long nothing may have moved before the budget counts as too small. Something outside of the
// pipeline, such as a copy to a device, may hold bytes for a while.
const stallTimeout = 10 * time.Second

// get reserves bytes. A wait counts as a wait for room.
func (a *admission[L]) get(ctx context.Context, n int) (bytes L, err error) {
	a.meter.enter(waitingOut)
	defer a.meter.enter(working)
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before, _ := a.pipeline.moved(a.meter)
	var look *time.Timer
	look = time.AfterFunc(forever, func() { // look is used in its function, so Reset starts it later
		now, atWork := a.pipeline.moved(a.meter)
		if !atWork && now == before {
			cancel(fmt.Errorf("%w: nothing has moved for %v while %d bytes were wanted; stages that hold items until others "+
				"come (batches, shuffles, merges) hold the whole budget", ErrBudget, a.pipeline.stallTimeout, n))
			return
		}
		before = now
		look.Reset(a.pipeline.stallTimeout)
	})
	look.Reset(a.pipeline.stallTimeout)
	defer look.Stop()
	bytes, err = a.budget.Get(waiting, n)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = context.Cause(waiting)
		a.pipeline.abort(err)
	}
	return bytes, err
}

// moved returns a number that changes with everything that workers and the consumer do. It also reports whether any of
// them is at work, except for the one with the given meter.
func (p *Pipeline) moved(but *meter) (sum time.Duration, atWork bool) {
	look := func(m *meter) {
		if m == but {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		sum += m.since
		atWork = atWork || m.phase == working
	}
	for _, s := range p.stages {
		for w := range s.meters {
			look(&s.meters[w])
		}
	}
	look(&p.consumer)
	return sum, atWork
}
