package pipe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
)

// ErrBudget is wrapped by the error of a run whose budget is too small.
var ErrBudget = errors.New("pipe: the budget is too small")

// Admit calls f for every item, as [Map] does, to reserve what the item needs in the following stages, such as a
// buffer of a pool. f waits until it is free, and the Release of its result returns it. So one
// budget limits the bytes in all following stages. Several stages or pipelines may share a budget.
//
// One worker reserves for one item after the other, and each item reserves once. So an item waits only for earlier
// items, which need no more bytes. This cannot deadlock, whatever the number of workers. An exception is a stage that
// holds items until others come (a batch, a shuffle, a merge), if the items that it holds take all of the budget. Then
// nothing moves, and after ten seconds the run ends with ErrBudget.
//
// The time in f counts as a wait for room, and the verdict names the budget if that is the bottleneck.
func Admit[T, U any](in *Flow[T], name string, s Stage, f func(context.Context, T) (U, error)) *Flow[U] {
	p := in.pipeline
	s.alone(p, name, "an admission")
	a := &admission[T, U]{pipeline: p, f: f}
	out := Map(in, name, s, a.reserve)
	out.stage.single, out.stage.admits = true, true
	a.meter = &out.stage.meters[0]
	return out
}

type admission[T, U any] struct {
	pipeline *Pipeline
	f        func(context.Context, T) (U, error)
	meter    *meter.Meter
}

// stallTimeout is how long nothing may have moved before the budget counts as too small. Something outside of the
// pipeline, such as a copy to a device, may hold bytes for a while.
const stallTimeout = 10 * time.Second

// reserve calls f. A wait counts as a wait for room. Most items do not wait, so nothing is looked at before a tenth of
// the timeout has passed.
func (a *admission[T, U]) reserve(ctx context.Context, item T) (U, error) {
	a.meter.Enter(meter.WaitingOut)
	defer a.meter.Enter(meter.Working)
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before := time.Duration(-1)
	var look *time.Timer
	look = time.AfterFunc(math.MaxInt64, func() { // look is used in its function, so Reset starts it later
		now, atWork := a.pipeline.moved(a.meter)
		if !atWork && now == before {
			cancel(fmt.Errorf("%w: nothing has moved for %v while bytes were wanted; stages that hold items until others "+
				"come (batches, shuffles, merges) hold the whole budget", ErrBudget, a.pipeline.stallTimeout))
			return
		}
		before = now
		look.Reset(a.pipeline.stallTimeout)
	})
	look.Reset(a.pipeline.stallTimeout / 10)
	defer look.Stop()
	result, err := a.f(waiting, item)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = context.Cause(waiting)
		a.pipeline.abort(err)
	}
	return result, err
}

// moved returns a number that changes with everything that workers and the consumer do. It also reports whether any of
// them is at work. The owner of the meter but does not count.
func (p *Pipeline) moved(but *meter.Meter) (sum time.Duration, atWork bool) {
	look := func(m *meter.Meter) {
		if m == but {
			return
		}
		phase, since := m.State()
		sum += since
		atWork = atWork || phase == meter.Working
	}
	for _, s := range p.stages {
		for w := range s.meters {
			look(&s.meters[w])
		}
	}
	look(&p.consumer)
	return sum, atWork
}
