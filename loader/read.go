package loader

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
)

// readsKept is the memory that Read keeps for later batches.
const readsKept = 64 << 20

// Read decodes some samples of a loader of records into one batch, in the order of ids, which are positions in the
// source. This is the random access of PyTorch's map-style datasets. It neither uses nor moves the position of Batches,
// and does not use caches. Random numbers are those of the epoch. As many samples are decoded at a time as there are
// cores. The caller releases the batch, before the loader is closed. Calls may be concurrent with each other and with
// Batches.
//
// Errors: ErrOptions for no ids, for one that does not exist, and for a loader of other samples or with a form other
// than dense; the error of the first bad sample, in the order of ids; and the end of ctx.
func (l *Loader) Read(ctx context.Context, epoch int, ids ...int) (_ *batch.Batch, err error) {
	if l.mediumSpec.record == nil || l.mediumSpec.form.Kind != FormDense {
		return nil, invalid.Errorf("only records with arrays of fixed sizes are read by their ids")
	}
	for _, id := range ids {
		if n := l.source.Len(); id < 0 || id >= n {
			return nil, invalid.Errorf("sample %d does not exist: the source has %d, from 0", id, n)
		}
	}
	if len(ids) == 0 {
		return nil, invalid.Errorf("no samples to read")
	}
	a, err := batch.NewAssembler(batch.AssemblerOptions{Size: len(ids), Fields: l.mediumSpec.arrays(), Pool: l.reads})
	if err != nil {
		return nil, err
	}
	items := make([]*item, 0, len(ids))
	defer func() {
		for _, it := range items {
			it.Release()
		}
		if closed := a.Close(); err == nil {
			err = closed
		}
	}()
	for place, id := range ids {
		it := &item{assembly: dense{a}, pick: pick{epoch: epoch, place: place, index: id}}
		s := l.source.Item(id)
		it.sample = batch.Sample{ID: s.ID, Name: s.Name, Key: s.Key, Label: s.Label, Place: place}
		items = append(items, it)
		if err := it.assembly.place(ctx, it); err != nil {
			return nil, err
		}
		it.placed = true
	}
	errs := make([]error, len(items))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, it := range items {
		g.Go(func() error {
			errs[i] = spool.InFile(l.read(ctx, it), it.sample.Name)
			return nil
		})
	}
	_ = g.Wait() // errors are in errs
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	var done []*batch.Batch
	for _, it := range items {
		it.placed = false
		done = append(done, a.Add(it.slot, it.sample)...)
	}
	return done[0], nil
}

// read opens and decodes a sample.
func (l *Loader) read(ctx context.Context, it *item) error {
	if err := l.open(ctx, it); err != nil {
		return err
	}
	return l.mediumSpec.decode(ctx, l.decoder, it)
}
