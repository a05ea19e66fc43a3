package main

import (
	"context"

	"github.com/spoolmedia/spool/source"
)

// repeated is a source gone over several times, as one list; it takes no memory for that.
type repeated struct {
	source.Source
	times int
}

func (r repeated) Len() int { return r.times * r.Source.Len() }

func (r repeated) Item(i int) source.Item {
	item := r.Source.Item(i % r.Source.Len())
	item.ID = int64(i)
	return item
}

func (r repeated) Open(ctx context.Context, i int) (source.Object, error) {
	return r.Source.Open(ctx, i%r.Source.Len())
}
