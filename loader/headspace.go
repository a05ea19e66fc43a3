package loader

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Headspace runs the loader in place of Epochs, and measures what faster loading could gain. It decodes Prefetch + 1
// batches, stops decoding, and yields these repeatedly, so that loading costs nothing from then on. Epochs and batches
// have the same numbers and indexes as those of Epochs. The difference between a training loop's time over Epochs and
// over Headspace is the most that a faster loader can save.
//
// The loop's body owns the batches, which share their memory and are read-only. Errors are those of Epochs, and
// ErrOptions for samples without one size and for a stream, whose number of batches is unknown. State has no position
// once Headspace was called.
func (l *Loader) Headspace(ctx context.Context) iter.Seq2[int, iter.Seq2[*batch.Batch, error]] {
	l.repeats.Store(true)
	return func(yield func(int, iter.Seq2[*batch.Batch, error]) bool) {
		var kept []*batch.Batch
		defer func() {
			for _, b := range kept {
				b.Release()
			}
		}()
		first := int(l.schedule.begin.State.Epoch)
		fail := func(err error) { yield(first, func(yield func(*batch.Batch, error) bool) { yield(nil, err) }) }
		if err := l.checkRepeats(); err != nil {
			fail(err)
			return
		}
		for b, err := range flat(l.Epochs(ctx)) {
			if err != nil {
				fail(err)
				return
			}
			if kept = append(kept, b); len(kept) == l.options.Prefetch+1 {
				break
			}
		}
		if len(kept) == 0 {
			return
		}
		given, index := 0, l.schedule.begin.Batch
		for epoch := first; epoch < l.options.Epochs && ctx.Err() == nil; epoch++ {
			again := func(yield func(*batch.Batch, error) bool) {
				for range l.schedule.remainingBatches(epoch) {
					if ctx.Err() != nil {
						yield(nil, context.Cause(ctx))
						return
					}
					b := kept[given%len(kept)].Retain()
					b.Epoch, b.Index = epoch, index
					given, index = given+1, index+1
					if !yield(b, nil) {
						return
					}
				}
			}
			if !yield(epoch, again) {
				return
			}
			index = 0
		}
	}
}

// checkRepeats returns why this loader cannot repeat its batches, or nil.
func (l *Loader) checkRepeats() error {
	var bad invalid.Options
	if !l.mediumSpec.slots {
		bad.Addf("headspace needs samples of one size")
	}
	if !l.mediumSpec.form.counted() {
		bad.Addf("headspace needs the number of batches, which is unknown for batches of form %v", l.mediumSpec.form.Kind)
	}
	if l.schedule.streamed() {
		bad.Addf("headspace needs the number of batches, which is unknown for a streamed source")
	}
	return bad.Err()
}
