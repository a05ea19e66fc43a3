package pipe

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// errBroken is the cause of the end of a run whose loop was broken off.
var errBroken = errors.New("pipe: the loop was broken off")

// consumer is the loop over a pipeline's last flow.
type consumer[T any] struct {
	flow    *Flow[T]
	ctx     context.Context // of the run
	began   bool            // the first result was taken
	border  bool            // at the end of an epoch
	over    bool            // no more items come
	stopped bool            // all workers have ended
	err     error           // why the run ended, until the loop has received it
}

// more reports whether there is another epoch, or an error to yield.
func (c *consumer[T]) more() bool {
	c.border = false
	return !c.over || c.err != nil
}

// items yields the rest of an epoch, and the error that ends the run.
func (c *consumer[T]) items(yield func(T, error) bool) {
	m := &c.flow.pipeline.consumer
	for {
		item, ok := c.next(m)
		if !ok {
			break
		}
		wanted := yield(item, nil)
		m.Done(meter.Passed)
		if !wanted {
			return
		}
	}
	if err := c.err; err != nil {
		c.err = nil
		var none T
		yield(none, err)
	}
}

// skip releases the rest of an epoch.
func (c *consumer[T]) skip() {
	m := &c.flow.pipeline.consumer
	for {
		item, ok := c.next(m)
		if !ok {
			return
		}
		queue.Release(item)
		m.Done(meter.Filtered)
	}
}

// next waits for an item of this epoch. After the last item of all epochs, it stops everything.
func (c *consumer[T]) next(m *meter.Meter) (item T, ok bool) {
	if c.border || c.over {
		return item, false
	}
	if c.ctx.Err() == nil {
		var at queue.Mark
		item, at, ok = c.flow.queue.Take(m)
		switch {
		case !ok:
		case c.ctx.Err() != nil: // meanwhile: what comes after a failure that no ledger has must not be delivered
			if at.Kind == queue.Result {
				c.flow.queue.Return(item)
			}
		case at.Kind == queue.Result:
			if !c.began {
				c.began = true
				c.flow.pipeline.taken()
			}
			return item, true
		default:
			c.border = true
			return item, false
		}
	}
	c.over = true
	c.err = context.Cause(c.ctx)
	if c.err == nil {
		c.err = c.flow.queue.Why()
	}
	c.stop(nil)
	if c.err == nil {
		c.err = c.flow.pipeline.outcome()
	}
	c.err = c.flow.pipeline.together(c.err)
	var none T
	return none, false
}

// stop waits for all workers. why, if not nil, ends the run first.
func (c *consumer[T]) stop(why error) {
	if c.stopped {
		return
	}
	c.stopped = true
	if why != nil {
		c.flow.pipeline.abort(why)
	}
	c.flow.stop()
	c.flow.pipeline.finish()
}
