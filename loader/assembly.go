package loader

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// assembly makes batches of samples. place is called in input order by one goroutine, add and end by another. fail may
// be called concurrently.
type assembly interface {
	// place gives an item memory for its arrays.
	place(ctx context.Context, it *item) error
	// add takes a decoded sample from its item, also on error, and returns the batches that this completes.
	add(ctx context.Context, it *item) ([]*batch.Batch, error)
	// fail takes back the memory of an item, and returns the batches that this completes.
	fail(it *item) []*batch.Batch
	// end returns the remaining batches of an epoch, whose samples are all added or have failed.
	end(ctx context.Context, epoch int) ([]*batch.Batch, error)
	close() error
}

// dense makes batches of samples of one size.
type dense struct{ *batch.Assembler }

func (d dense) place(ctx context.Context, it *item) (err error) {
	it.slot, err = d.Slot(ctx, it.epoch)
	return err
}

func (d dense) add(_ context.Context, it *item) ([]*batch.Batch, error) {
	return d.Add(it.slot, it.sample), nil
}
func (d dense) fail(it *item) []*batch.Batch { return d.Fail(it.slot) }
func (d dense) end(_ context.Context, epoch int) ([]*batch.Batch, error) {
	return d.End(epoch), nil
}
func (d dense) close() error { return d.Close() }

// bucketed makes batches of samples in buckets.
type bucketed struct{ *batch.Buckets }

func (b bucketed) place(ctx context.Context, it *item) (err error) {
	it.slot, err = b.Slot(ctx, it.epoch, it.bucket)
	return err
}

func (b bucketed) add(_ context.Context, it *item) ([]*batch.Batch, error) {
	return b.Add(it.slot, it.sample), nil
}
func (b bucketed) fail(it *item) []*batch.Batch { return b.Fail(it.slot) }
func (b bucketed) end(_ context.Context, epoch int) ([]*batch.Batch, error) {
	return b.End(epoch), nil
}
func (b bucketed) close() error { return b.Close() }

// loose makes batches of samples that differ in size. They are decoded into memory of the pool singles.
//
// This cannot deadlock. Samples get memory in input order, and the pool has room for those of one batch and one more:
// so a sample that waits for memory waits for earlier ones, which have theirs and become batches.
type loose struct {
	*batch.Collator
	singles *spool.Pool
	largest int // bytes of a batch
}

func (c loose) place(ctx context.Context, it *item) (err error) {
	if n := batch.SlabBytes(it.arrays, 0); n > c.largest {
		return &spool.Error{Op: "batch", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("takes %d bytes, and the limit of a batch is %d", n, c.largest)}
	}
	it.single, err = batch.NewSingle(ctx, c.singles, it.arrays)
	return err
}

func (c loose) add(ctx context.Context, it *item) ([]*batch.Batch, error) {
	single := it.single
	it.single = nil
	return c.Add(ctx, it.epoch, single, it.sample)
}

func (c loose) fail(it *item) []*batch.Batch {
	it.single.Release()
	it.single = nil
	return nil
}

func (c loose) end(ctx context.Context, epoch int) ([]*batch.Batch, error) {
	return c.End(ctx, epoch)
}
func (c loose) close() error { return errors.Join(c.Close(), c.singles.Close()) }
