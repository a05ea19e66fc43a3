package loader

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// list gives the samples of an epoch in order, from where the loader begins.
func (l *Loader) list(ctx context.Context, epoch int) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		if epoch >= l.options.Epochs { // nothing is left of what it resumes
			return
		}
		if s, streamed := l.source.(source.Streamed); streamed {
			l.stream(ctx, s, epoch, yield)
			return
		}
		for p := range l.course.samples(epoch) {
			if !yield(l.item(l.source.Item(p.index), p), nil) {
				return
			}
		}
	}
}

// stream gives the samples of a stream as they are listed, after those that a state has taken.
func (l *Loader) stream(ctx context.Context, s source.Streamed, epoch int, yield func(*item, error) bool) {
	_, taken := l.course.from(epoch)
	if limit := l.options.Limit; limit > 0 && taken >= limit {
		return
	}
	last := "" // the name of the last sample taken
	for x, err := range s.Samples(ctx, max(taken-1, 0)) {
		place := int(x.ID)
		switch {
		case err != nil:
			yield(nil, err)
			return
		case place < taken:
			if last = x.Name; last != l.course.begin.Last {
				yield(nil, l.moved(taken))
				return
			}
		case !yield(l.item(x, pick{epoch: epoch, place: place, index: place}), nil), place+1 == l.options.Limit:
			return
		}
	}
	if taken > 0 && last == "" {
		yield(nil, l.moved(taken))
	}
}

// moved is the error of a stream whose sample at the place of a state's last one is another.
func (l *Loader) moved(taken int) error {
	return &spool.Error{Op: "resume", File: l.course.begin.Last, Class: spool.ErrNotFound,
		Text: fmt.Sprintf("is not sample number %d any more, as in the state: something before it was added or removed", taken)}
}

// item makes an item of a listed sample.
func (l *Loader) item(s source.Item, p pick) *item {
	it := &item{assembler: l.assembler, pick: p, sample: batch.Sample{ID: s.ID, Name: s.Name, Key: s.Key, Label: s.Label,
		Place: p.place, Occurrence: p.occurrence, Padding: p.padding}}
	if l.far != nil {
		it.number = l.far.number()
	}
	return it
}

// filled reads the samples of the list into memory and gives them slots. Local and remote sources differ only in the number
// of workers.
//
// Many workers locate samples, one reserves memory for them in order, many fetch, and one assigns slots in order. A sample
// in flight holds memory for its bytes, which Options.Ahead bounds, and no slot. This cannot deadlock: a sample that waits
// for memory waits for earlier samples, which have theirs and get their slots first; a sample that waits for a slot waits
// for samples that have both. The two ordered stages do no I/O.
func (l *Loader) filled(list *pipe.Flow[*item], locating, fetching pipe.Stage) *pipe.Flow[*item] {
	located := pipe.Map(list, "locate", locating, step(l.locate))
	opened := pipe.Map(located, "open", pipe.Stage{}, step(l.reserve))
	fetched := pipe.Map(opened, "fetch", fetching, step(l.fetch))
	if l.assembler == nil {
		return fetched
	}
	return pipe.Map(fetched, slotStage, pipe.Stage{}, l.place)
}

const slotStage = "slot"

// step makes a pipe function of a stage's work. An item that has failed already passes through.
func step(f func(context.Context, *item) error) func(context.Context, *item) (*item, error) {
	return func(ctx context.Context, it *item) (*item, error) {
		if it.over {
			return it, nil
		}
		return it, f(ctx, it)
	}
}

// place assigns a slot to a fetched sample, or to a failed one that gets a placeholder.
func (l *Loader) place(ctx context.Context, it *item) (_ *item, err error) {
	if it.slot, err = l.assembler.Slot(ctx, it.epoch); err != nil {
		return nil, err
	}
	it.placed = true
	if it.over {
		err = l.medium.blank(ctx, l.decoder, it.slot.Bytes())
	}
	return it, err
}

// locate opens the sample's object, or finds the sample in a cache, and asks whether the disk cache has it.
func (l *Loader) locate(ctx context.Context, it *item) (err error) {
	if c := l.options.Cache; c != nil {
		var found bool
		if it.kept, found = c.find(it.sample.ID, true); found {
			return nil
		}
	}
	if l.far != nil {
		if err := l.far.begin(ctx, it.number); err != nil {
			return err
		}
		defer l.far.end()
	}
	defer it.spend(time.Now())
	if it.object, err = l.source.Open(ctx, it.index); err != nil {
		return err
	}
	it.info = it.object.Info()
	n := it.info.Size
	if n == 0 {
		return &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if limit := l.decoder.Limits().MaxBytes; n > limit {
		return &spool.Error{Op: "open", Class: spool.ErrTooLarge, Text: fmt.Sprintf("%d bytes, the limit is %d", n, limit)}
	}
	if l.disk != nil {
		l.disk.locate(it)
	}
	return nil
}

// reserve takes memory for a sample that is read whole.
func (l *Loader) reserve(ctx context.Context, it *item) (err error) {
	if it.object == nil || it.stored {
		return nil
	}
	if l.inParts(it) {
		it.share, err = l.ahead.Get(ctx, int(min(it.info.Size, farHold)))
		return err
	}
	if it.info.Size > l.medium.whole {
		return nil
	}
	n := int(it.info.Size)
	if it.share, err = l.ahead.Get(ctx, n); err != nil {
		return err
	}
	it.data, err = l.files.GetFor(ctx, n, spool.Compressed)
	return err
}

// inParts reports whether only the needed ranges of a sample are fetched, because it is remote.
func (l *Loader) inParts(it *item) bool {
	if l.medium.begin == nil || it.object == nil || it.stored || it.info.Size <= farWhole {
		return false
	}
	return it.info.Remote
}

// fetch reads the sample whole, or the ranges that are needed of it.
func (l *Loader) fetch(ctx context.Context, it *item) error {
	if l.inParts(it) {
		defer it.spend(time.Now())
		return l.medium.begin(ctx, l.decoder, it, min(it.info.Size, farHold))
	}
	if it.data == nil {
		return nil
	}
	defer it.spend(time.Now())
	if err := source.ReadFull(ctx, it.object, it.data.Bytes()); err != nil {
		return err
	}
	it.object.Close()
	it.object = nil
	return nil
}

// decode decodes the sample, or copies it from a cache or the disk cache.
func (l *Loader) decode(ctx context.Context, it *item) error {
	defer it.drop()
	if c := l.options.Cache; c != nil && it.kept.chunk == nil {
		it.kept, _ = c.find(it.sample.ID, false)
	}
	if it.kept.chunk != nil {
		it.copy()
		return nil
	}
	restored := false
	if it.stored {
		var err error
		if restored, err = l.restore(ctx, it); err != nil {
			return err
		}
	}
	if !restored {
		begun := time.Now()
		if err := l.medium.decode(ctx, l.decoder, it); err != nil {
			return err
		}
		it.spend(begun)
		if it.keyed {
			l.disk.keep(it)
		}
	}
	if l.options.Cache != nil {
		l.options.Cache.keep(it.sample, it.slot.Bytes())
	}
	return nil
}

// parts gives the parts of an item's file, for a medium that splits files.
func (l *Loader) parts(ctx context.Context, it *item) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		defer it.drop()
		l.medium.parts(ctx, l.decoder, it)(yield)
	}
}
