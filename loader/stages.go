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

// list yields the samples of an epoch in order, from where the loader begins.
func (l *Loader) list(ctx context.Context, epoch int) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		if epoch >= l.options.Epochs { // the resumed state is the end of the last epoch
			return
		}
		if s, streamed := l.source.(source.Streamed); streamed {
			l.stream(ctx, s, epoch, yield)
			return
		}
		for p := range l.schedule.samples(epoch) {
			if !yield(l.item(l.source.Item(p.index), p), nil) {
				return
			}
		}
	}
}

// stream yields the samples of a stream as they are listed, after those that a state has taken.
func (l *Loader) stream(ctx context.Context, s source.Streamed, epoch int, yield func(*item, error) bool) {
	_, taken := l.schedule.from(epoch)
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
			if last = x.Name; last != l.schedule.begin.Last {
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

// moved is the error of a stream whose sample at the state's position has another name.
func (l *Loader) moved(taken int) error {
	return &spool.Error{Op: "resume", File: l.schedule.begin.Last, Class: spool.ErrNotFound,
		Text: fmt.Sprintf("is no longer sample number %d, as in the state: something before it was added or removed", taken)}
}

// item returns an item for a listed sample.
func (l *Loader) item(s source.Item, p pick) *item {
	it := &item{assembly: l.assembly, pick: p, sample: batch.Sample{ID: s.ID, Name: s.Name, Key: s.Key, Label: s.Label,
		Place: p.place, Occurrence: p.occurrence, Padding: p.padding}}
	if l.openLimit != nil {
		it.number = l.openLimit.number()
	}
	return it
}

// filled adds the stages that read the list's samples into memory and assign slots. Local and remote sources differ
// only in the number of workers.
//
// Many workers locate samples, one reserves memory for them in order, many fetch, and one assigns slots in order. A
// sample in flight has memory for its bytes, which Fetching.Memory bounds, but no slot. This cannot deadlock. A sample
// that waits for memory waits for earlier samples, which have theirs and get their slots first. A sample that waits for
// a slot waits for samples that have both. The two ordered stages do no I/O. The stages after them take no memory for a
// file's bytes other than a part of the sample's own: see package internal/ranges.
func (l *Loader) filled(list *pipe.Flow[*item], locating, fetching, decoding pipe.Stage) *pipe.Flow[*item] {
	located := pipe.Map(list, "locate", locating, step(l.locate))
	opened := pipe.Admit(located, openStage, pipe.Stage{}, step(l.reserve))
	fetched := pipe.Map(opened, "fetch", fetching, step(l.fetch))
	if l.assembly == nil {
		return fetched
	}
	if l.mediumSpec.measure != nil {
		fetched = pipe.Map(fetched, "measure",
			pipe.Stage{Workers: max(1, decoding.Workers), Timeout: decoding.Timeout}, step(l.measure))
	}
	return pipe.Map(fetched, slotStage, pipe.Stage{Queue: slotQueue, QueueBytes: fetching.QueueBytes}, l.place)
}

// The stages that wait for memory.
const (
	openStage = "open"
	slotStage = "slot"
)

// step returns a pipe function for a stage's work. An item that has failed already passes through.
func step(f func(context.Context, *item) error) func(context.Context, *item) (*item, error) {
	return func(ctx context.Context, it *item) (*item, error) {
		if it.failed {
			return it, nil
		}
		return it, f(ctx, it)
	}
}

// place assigns a slot to a fetched sample, or to a failed one that gets a placeholder.
func (l *Loader) place(ctx context.Context, it *item) (_ *item, err error) {
	if err = l.assembly.place(ctx, it); err != nil {
		return nil, err
	}
	it.placed = true
	if it.failed {
		err = l.mediumSpec.blank(ctx, l.decoder, it)
	}
	return it, err
}

// locate opens the sample's object, or finds the sample in a cache. It also looks it up in the disk cache.
func (l *Loader) locate(ctx context.Context, it *item) (err error) {
	if c := l.options.Caches.Memory; c != nil {
		var found bool
		if it.cached, found = c.find(it.sample.ID, true); found {
			return nil
		}
	}
	if l.openLimit != nil {
		defer l.openLimit.end() // also if it was too late: another may be opened then
		if err := l.openLimit.begin(ctx, it.number); err != nil {
			return err
		}
	}
	defer it.spend(time.Now())
	if err := l.open(ctx, it); err != nil {
		return err
	}
	if l.disk != nil {
		l.disk.locate(it)
	}
	return nil
}

// open opens the inputs of a sample, and finds which part of its files it is.
func (l *Loader) open(ctx context.Context, it *item) (err error) {
	if s, ok := l.source.(source.Segmented); ok {
		if it.segment, err = s.Segment(ctx, it.index); err != nil {
			return err
		}
	}
	for k := range it.inputs {
		it.inputs[k].close() // of an earlier attempt
	}
	it.inputs = make([]input, l.mediumSpec.inputs())
	for k := range it.inputs {
		if err := l.openInput(ctx, it, k); err != nil {
			return l.mediumSpec.inInput(k, err)
		}
	}
	return nil
}

// openInput opens an input of a sample.
func (l *Loader) openInput(ctx context.Context, it *item, k int) (err error) {
	in := &it.inputs[k]
	if l.mediumSpec.record == nil {
		in.object, err = l.source.Open(ctx, it.index)
	} else {
		in.object, err = l.source.(source.RecordSource).OpenInput(ctx, it.index, k)
	}
	if err != nil || in.object == nil {
		return err
	}
	in.info = in.object.Info()
	n := in.info.Size
	if n == 0 && l.mediumSpec.record == nil { // the text of a record may be empty
		return &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if limit := l.decoder.Limits().MaxBytes; n > limit {
		return &spool.Error{Op: "open", Class: spool.ErrTooLarge, Text: fmt.Sprintf("%d bytes, the limit is %d", n, limit)}
	}
	return nil
}

// reserve reserves memory for a sample that is read whole, or in ranges.
func (l *Loader) reserve(ctx context.Context, it *item) (err error) {
	if len(it.inputs) == 0 || it.stored {
		return nil
	}
	if l.inParts(it) {
		it.memory, err = l.files.Sub(ctx, rangeMemory(it.inputs[0].info.Size), spool.Ranges)
		return err
	}
	var n int64
	for k := range it.inputs {
		in := &it.inputs[k]
		in.whole = l.mediumSpec.readsWhole(k, in.info.Size)
		if !in.info.Remote && l.mediumSpec.parted(k, it.segment) {
			in.whole = false // many samples are parts of this file
		}
		if in.whole {
			n += in.info.Size
		}
	}
	pool := l.files
	if ranges := l.ranged(it); ranges > 0 && n <= remoteWhole {
		if it.memory, err = l.files.Sub(ctx, ranges+fileMemory(n), spool.Ranges); err != nil {
			return err
		}
		pool = it.memory
	}
	if n == 0 {
		return nil
	}
	if it.data, err = pool.GetFor(ctx, int(n), spool.Compressed); err != nil {
		return err
	}
	rest := it.data.Bytes()
	for k := range it.inputs {
		if in := &it.inputs[k]; in.whole {
			in.data, rest = rest[:in.info.Size:in.info.Size], rest[in.info.Size:]
		}
	}
	return nil
}

// inParts reports whether only the needed ranges of a sample are fetched, because it is remote.
func (l *Loader) inParts(it *item) bool {
	if l.mediumSpec.fetchRanges == nil || l.mediumSpec.record != nil || len(it.inputs) == 0 || it.stored {
		return false
	}
	info := &it.inputs[0].info
	return info.Remote && info.Size > remoteWhole
}

// ranged returns the memory for the ranges of a record's remote videos, which are not read whole.
func (l *Loader) ranged(it *item) (n int64) {
	if l.mediumSpec.record == nil || l.mediumSpec.fetchRanges == nil {
		return 0
	}
	for k := range it.inputs {
		in := &it.inputs[k]
		if in.partly = in.object != nil && !in.whole && in.info.Remote && in.info.Size > remoteWhole &&
			l.mediumSpec.record.Prefetches(k); in.partly {
			n += rangeMemory(in.info.Size)
		}
	}
	return n
}

// fetch reads the whole sample, or the ranges that are needed.
func (l *Loader) fetch(ctx context.Context, it *item) error {
	if l.inParts(it) {
		defer it.spend(time.Now())
		return l.mediumSpec.fetchRanges(ctx, l.decoder, it)
	}
	if it.data == nil && it.memory == nil {
		return nil
	}
	defer it.spend(time.Now())
	for k := range it.inputs {
		in := &it.inputs[k]
		if in.object == nil || !in.whole {
			continue
		}
		if err := spool.ReadFull(ctx, in.object, in.data); err != nil {
			return l.mediumSpec.inInput(k, err)
		}
		in.read = true
		in.close()
	}
	if it.memory != nil {
		return l.mediumSpec.fetchRanges(ctx, l.decoder, it)
	}
	return nil
}

// measure finds the sizes of a sample's arrays.
func (l *Loader) measure(ctx context.Context, it *item) error {
	defer it.spend(time.Now())
	return l.mediumSpec.measure(ctx, l.decoder, it)
}

// decode decodes the sample, or copies it from a cache or the disk cache.
func (l *Loader) decode(ctx context.Context, it *item) error {
	defer it.drop()
	if c := l.options.Caches.Memory; c != nil && it.cached.chunk == nil {
		it.cached, _ = c.find(it.sample.ID, false)
	}
	if it.cached.chunk != nil {
		it.copy()
		return nil
	}
	restored := it.stored && l.restore(it)
	if !restored {
		begun := time.Now()
		if err := l.mediumSpec.decode(ctx, l.decoder, it); err != nil {
			return err
		}
		it.spend(begun)
		if it.keyed {
			l.disk.keep(it)
		}
	}
	if l.options.Caches.Memory != nil {
		l.options.Caches.Memory.keep(it.sample, it.putBytes)
	}
	return nil
}

// chunks yields the chunks of an item's file, for a medium that splits files.
func (l *Loader) chunks(ctx context.Context, it *item) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		defer it.drop()
		l.mediumSpec.chunks(ctx, l.decoder, it)(yield)
	}
}
