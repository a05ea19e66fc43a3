package loader

import (
	"context"
	"fmt"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/source"
)

// list names the samples of an epoch in order, from where the loader begins.
func (l *Loader) list(epoch int) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		if epoch >= l.options.Epochs { // nothing is left of what it resumes
			return
		}
		for place, index := range l.course.samples(epoch) {
			s := l.source.Item(index)
			it := &item{assembler: l.assembler, index: index, epoch: epoch, sample: batch.Sample{ID: s.ID, Name: s.Name, Key: s.Key, Label: s.Label, Place: place}}
			if !yield(it, nil) {
				return
			}
		}
	}
}

// open takes the sample's slot, if there are slots, and, from its size, memory for its bytes. One worker does this for all
// samples in order: whoever waits for memory waits for samples in front of it only.
func (l *Loader) open(ctx context.Context, it *item) (err error) {
	if l.assembler != nil {
		if it.slot, err = l.assembler.Slot(ctx, it.epoch); err != nil {
			return err
		}
		it.placed = true
	}
	if c := l.options.Cache; c != nil {
		var found bool
		if it.kept, found = c.find(it.sample.ID); found {
			return nil
		}
	}
	if it.object, err = l.source.Open(ctx, it.index); err != nil {
		return err
	}
	n := it.object.Size()
	if n == 0 {
		return &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if limit := l.decoder.Limits().MaxBytes; n > limit {
		return &spool.Error{Op: "open", Class: spool.ErrTooLarge, Text: fmt.Sprintf("%d bytes, the limit is %d", n, limit)}
	}
	if n <= l.medium.whole {
		it.data, err = l.files.GetFor(ctx, int(n), spool.Compressed)
	}
	return err
}

// fetch reads the sample's bytes, if they are to be read in one piece.
func (l *Loader) fetch(ctx context.Context, it *item) error {
	if it.data == nil {
		return nil
	}
	if err := source.ReadFull(ctx, it.object, it.data.Bytes()); err != nil {
		return err
	}
	it.object.Close()
	it.object = nil
	return nil
}

// decode makes a sample of the bytes, or of what a cache has of it.
func (l *Loader) decode(ctx context.Context, it *item) error {
	defer it.drop()
	if it.kept.chunk != nil {
		it.copy()
		return nil
	}
	err := l.medium.decode(ctx, l.decoder, it)
	if err == nil && l.options.Cache != nil {
		l.options.Cache.keep(it.sample, it.slot.Bytes())
	}
	return err
}

// parts makes a pipe's function of a medium that gives files in parts.
func (l *Loader) parts(stage string) func(context.Context, *item) iter.Seq2[*item, error] {
	return func(ctx context.Context, it *item) iter.Seq2[*item, error] {
		return func(yield func(*item, error) bool) {
			defer it.drop()
			for part, err := range l.medium.parts(ctx, l.decoder, it) {
				if err != nil {
					_, err = l.bad(ctx, it, stage, err)
				}
				if !yield(part, err) {
					return
				}
			}
		}
	}
}
