package pipe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Budget is what bytes are taken from. Get waits until n bytes are free, or until ctx ends, and gives
// what holds them: their Release gives them back. A pool of buffers is one, if Get gives a buffer;
// [Bytes] is one that only counts.
type Budget[L any] interface {
	Get(ctx context.Context, n int) (L, error)
}

// ErrBudget is wrapped by the error of a run that a budget is too small for.
var ErrBudget = errors.New("pipe: the budget is too small")

// Admit takes bytes from a budget for each item, as many as size says, and join makes of the item and
// what was taken the item that goes on, whose Release has to give the bytes back: by this one budget,
// bytes are bounded in all stages that follow, and by several stages or pipelines that share one.
//
// One worker takes for one item after the other, and an item takes once for all of its way. So whoever
// waits, waits for items in front of it, which need no more to get done: there is no circle, whatever
// the number of workers. An exception is a stage that holds items until others come (a batch, a
// shuffle, a merge), if those it holds take all of the budget: then nothing moves any more, and after
// ten seconds the run ends with ErrBudget.
//
// join takes item and bytes over.
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

// stillAfter is how long nothing may have moved before a budget is said to be too small. Somebody
// outside of the pipeline may hold bytes for a while, such as a copy to a device.
const stillAfter = 10 * time.Second

// get takes bytes. A wait counts as a wait for room.
func (a *admission[L]) get(ctx context.Context, n int) (bytes L, err error) {
	a.meter.enter(waitingOut)
	defer a.meter.enter(working)
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before, _ := a.pipeline.moved(a.meter)
	var look *time.Timer
	look = time.AfterFunc(forever, func() { // it needs its own name, so it is set afterwards
		now, atWork := a.pipeline.moved(a.meter)
		if !atWork && now == before {
			cancel(fmt.Errorf("%w: nothing has moved for %v while %d bytes were wanted; stages that hold items until others "+
				"come (batches, shuffles, merges) hold all of it", ErrBudget, a.pipeline.patience, n))
			return
		}
		before = now
		look.Reset(a.pipeline.patience)
	})
	look.Reset(a.pipeline.patience)
	defer look.Stop()
	bytes, err = a.budget.Get(waiting, n)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = context.Cause(waiting)
		a.pipeline.abort(err)
	}
	return bytes, err
}

// moved is a number that changes with whatever workers and the consumer do, and says whether one of
// them, but for the one who asks, is at work.
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
