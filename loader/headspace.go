package loader

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool/batch"
)

// replay loads as many batches as the consumer may hold, and stops loading. It then yields these batches repeatedly, as
// many in all as a run would have.
func (l *Loader) replay(ctx context.Context) iter.Seq2[int, iter.Seq2[*batch.Batch, error]] {
	return func(yield func(int, iter.Seq2[*batch.Batch, error]) bool) {
		var kept []*batch.Batch
		defer func() {
			for _, b := range kept {
				b.Release()
			}
		}()
		first := int(l.schedule.begin.State.Epoch)
		for b, err := range flat(l.run(ctx)) {
			if err != nil {
				yield(first, func(yield func(*batch.Batch, error) bool) { yield(nil, err) })
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
