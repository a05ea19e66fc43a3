package pipe

import "context"

// Batch makes slices of n items; the last may be shorter. A slice is owned by whoever takes it, and
// so are its items: if pipe drops it, it releases them one by one.
func Batch[T any](in *Flow[T], name string, s Stage, n int) *Flow[[]T] {
	if n < 1 {
		in.pipeline.problem("stage %q: batches of %d", name, n)
	}
	b := &batcher[T]{n: n, release: in.queue.release}
	return collate(in, name, s, b, b.drop)
}

type batcher[T any] struct {
	n       int
	items   []T
	release func(T)
}

func (b *batcher[T]) Add(ctx context.Context, item T) ([]T, bool, error) {
	if b.items == nil {
		b.items = make([]T, 0, b.n)
	}
	b.items = append(b.items, item)
	if len(b.items) < b.n {
		return nil, false, nil
	}
	return b.Flush(ctx)
}

func (b *batcher[T]) Flush(context.Context) ([]T, bool, error) {
	items := b.items
	b.items = nil
	return items, len(items) > 0, nil
}

func (b *batcher[T]) Release() { b.drop(b.items) }

func (b *batcher[T]) drop(items []T) {
	for _, item := range items {
		b.release(item)
	}
}
