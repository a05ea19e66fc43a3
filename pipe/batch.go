package pipe

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// Batch collects items into slices of n. The last slice of an epoch may be shorter. The receiver of a slice owns it and
// its items. If pipe drops a slice, it releases the items one by one.
func Batch[T any](in *Flow[T], name string, s Stage, n int) *Flow[[]T] {
	if n < 1 {
		in.pipeline.problem("stage %q: batches of %d", in.pipeline.prefix+name, n)
	}
	return BatchBy(in, name, s, BatchOptions[T]{Count: n})
}

// BatchOptions are when a batch is complete: at the first of the limits that are set.
type BatchOptions[T any] struct {
	// Count is the maximum number of items in a batch. 0 means no limit.
	Count int
	// Bytes is the maximum size of a batch, as the sum of Size of its items. A larger item is a batch by itself. 0 means
	// no limit.
	Bytes int64
	// Size returns the size of an item, for Bytes.
	Size func(T) int64
	// Wait is how long the first item of a batch waits for others. 0 means no limit.
	Wait time.Duration
	// Bucket, if not nil, separates items with different values, for instance the length that items of a batch have in
	// common. Each bucket has its own batch. At the end of an epoch, the batches come in the order of their first items.
	Bucket func(T) int
	// DropLast releases items that do not fill a batch at the end of an epoch. Count must be set.
	DropLast bool
}

// BatchBy collects items into slices by count, size, time and bucket; see Batch.
func BatchBy[T any](in *Flow[T], name string, s Stage, o BatchOptions[T]) *Flow[[]T] {
	for _, problem := range o.problems() {
		in.pipeline.problem("stage %q: %s", in.pipeline.prefix+name, problem)
	}
	return Collate(in, name, s, &batcher[T]{BatchOptions: o})
}

func (b *BatchOptions[T]) problems() (all []string) {
	for _, x := range []struct {
		wrong bool
		text  string
	}{
		{b.Count < 0, "Count is negative"},
		{b.Bytes < 0, "Bytes is negative"},
		{b.Wait < 0, "Wait is negative"},
		{b.Bytes > 0 && b.Size == nil, "Bytes needs Size"},
		{b.DropLast && b.Count == 0, "DropLast needs Count"},
		{b.Count == 0 && b.Bytes == 0 && b.Wait == 0, "batches without an end"},
	} {
		if x.wrong {
			all = append(all, x.text)
		}
	}
	return all
}

type batcher[T any] struct {
	BatchOptions[T]
	open []*opened[T] // in the order of their first items
}

// opened is an incomplete batch.
type opened[T any] struct {
	bucket int
	items  []T
	bytes  int64
	due    time.Time
}

// Add returns at most one batch: the batch that has no room for the item, or the batch that the item completes.
func (b *batcher[T]) Add(_ context.Context, item T) ([]T, bool, error) {
	bucket, size := 0, int64(0)
	if b.Bucket != nil {
		bucket = b.Bucket(item)
	}
	if b.Bytes > 0 {
		size = b.Size(item)
	}
	o := b.find(bucket)
	var full []T
	if o != nil && b.Bytes > 0 && o.bytes+size > b.Bytes {
		full = b.close(o)
		o = nil
	}
	if o == nil {
		o = b.begin(bucket)
	}
	o.items = append(o.items, item)
	o.bytes += size
	if full == nil && len(o.items) == b.Count {
		full = b.close(o)
	}
	return full, full != nil, nil
}

func (b *batcher[T]) find(bucket int) *opened[T] {
	for _, o := range b.open {
		if o.bucket == bucket {
			return o
		}
	}
	return nil
}

func (b *batcher[T]) begin(bucket int) *opened[T] {
	o := &opened[T]{bucket: bucket, items: make([]T, 0, b.Count)}
	if b.Wait > 0 {
		o.due = time.Now().Add(b.Wait)
	}
	b.open = append(b.open, o)
	return o
}

func (b *batcher[T]) close(o *opened[T]) []T {
	b.open = slices.Delete(b.open, slices.Index(b.open, o), slices.Index(b.open, o)+1)
	return o.items
}

// due returns when the wait of the oldest batch ends.
func (b *batcher[T]) due() time.Time {
	if len(b.open) == 0 {
		return time.Time{}
	}
	return b.open[0].due
}

func (b *batcher[T]) expire() []T { return b.close(b.open[0]) }

func (b *batcher[T]) Flush(context.Context) ([]T, bool, error) {
	for len(b.open) > 0 {
		items := b.expire()
		if !b.DropLast {
			return items, true, nil
		}
		queue.Release(items)
	}
	return nil, false, nil
}

func (b *batcher[T]) Release() {
	for len(b.open) > 0 {
		queue.Release(b.expire())
	}
}

// Unbatch passes on the items of slices one by one.
func Unbatch[T any](in *Flow[[]T], name string, s Stage) *Flow[T] {
	return FlatMap(in, name, s, func(_ context.Context, items []T) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			for i, item := range items {
				if !yield(item, nil) {
					queue.Release(items[i+1:])
					return
				}
			}
		}
	})
}
