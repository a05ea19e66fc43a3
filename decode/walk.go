package decode

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/kernel"
)

// walk takes the picture through the steps: the rows of its source through the first, and each whole
// result through the next.
func (p picture) walk(ctx context.Context, from source, steps []step, dst, scratch []byte, maxMemory int64) (progress, error) {
	take := func(n int) []byte {
		piece := scratch[:n:n]
		scratch = scratch[aligned(n):]
		return piece
	}
	var done progress
	var last []byte
	for i := range steps {
		into := dst
		if i < len(steps)-1 {
			into = take(steps[i].bytes())
		}
		fill := func(sink *kernel.Sink) (err error) {
			if i == 0 {
				done, err = p.deliver(ctx, from, &steps[0].plan, sink, maxMemory)
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			before := &steps[i-1].plan
			return sink.PushOriented(last, before.CanvasWidth, before.CanvasHeight, steps[i].turn)
		}
		if err := withSink(&steps[i].plan, into, take(steps[i].plan.ScratchBytes()), fill); err != nil {
			return progress{}, err
		}
		last = into
	}
	return done, nil
}

// withSink lends fill a sink. It is closed on every path: what a sink pins must not be lost to a panic.
func withSink(plan *kernel.Plan, dst, scratch []byte, fill func(*kernel.Sink) error) error {
	sink, err := kernel.NewSink(plan, dst, scratch)
	if err != nil {
		return err
	}
	defer sink.Close()
	return fill(sink)
}
