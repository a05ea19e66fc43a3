package loader_test

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// watched is a source that reports the reads of its objects: n bytes at off.
type watched struct {
	*source.Listing
	read func(n int, off int64) // safe for concurrent use
}

func (w watched) Open(ctx context.Context, i int) (spool.Object, error) {
	o, err := w.Listing.Open(ctx, i)
	return watchedObject{o, w.read}, err
}

type watchedObject struct {
	spool.Object
	read func(n int, off int64)
}

func (o watchedObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := o.Object.ReadAt(ctx, p, off)
	o.read(n, off)
	return n, err
}
