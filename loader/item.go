package loader

import (
	"slices"
	"strconv"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/cache"
)

// item is a sample on its way. It owns what it has so far; stages hand it on by pointer.
type item struct {
	pick
	assembler *batch.Assembler
	number    int // of all that were listed of a source that is remote, from 1
	sample    batch.Sample
	slot      batch.Slot
	placed    bool             // slot is held
	object    spool.Object     // open, until fetched
	info      spool.ObjectInfo // of the object, when it was opened
	share     *pipe.Share      // of the bytes that may be held at a time, as long as data or object is
	data      *spool.Buffer    // the file's bytes, until decoded
	clip      *clip            // in place of them, what was fetched in parts
	part      *spool.Buffer    // what was decoded, where there is no slot
	kept      kept             // what a cache has of it, until it is in the slot
	key       cache.Key        // under which a disk has it, or may keep it, if it is keyed
	keyed     bool
	stored    bool           // the disk seems to have it
	spent     time.Duration  // on getting and decoding it
	over      bool           // bad, and passing through to the gatherer: a placeholder, or with batches
	batches   []*batch.Batch // what its failure completed
}

// ID is the sample's position in the source, as the ledger names it.
func (it *item) ID() string { return strconv.FormatInt(it.sample.ID, 10) }

// File is the sample's name, as the ledger has it.
func (it *item) File() string { return it.sample.Name }

// geometry is that of the sample, as it is drawn for it.
func (it *item) geometry(a resize.Augment, base resize.Spec, seed uint64) func(width, height int) (resize.Spec, error) {
	return func(width, height int) (resize.Spec, error) {
		return a.Draw(base, it.drawn(seed, it.sample.ID), width, height)
	}
}

// input is where the item's bytes are to be had: in memory, or where the source has them.
func (it *item) input() spool.Object {
	if it.data != nil {
		return spool.Bytes{Data: it.data.Bytes(), Name: it.sample.Name, Identity: it.info.Identity}
	}
	return it.object
}

// spend counts what was begun then as spent.
func (it *item) spend(begun time.Time) { it.spent += time.Since(begun) }

// copy writes into the slot what a cache has.
func (it *item) copy() {
	copy(it.slot.Bytes(), it.kept.bytes)
	it.sample = deliveredAs(it.kept.sample, it.sample)
	it.sample.Frames = slices.Clone(it.sample.Frames)
}

// deliveredAs is what is known of a decoded sample, with what another knows of its source and its place in the epoch.
func deliveredAs(s, as batch.Sample) batch.Sample {
	s.ID, s.Name, s.Key, s.Label = as.ID, as.Name, as.Key, as.Label
	s.Place, s.Occurrence, s.Padding = as.Place, as.Occurrence, as.Padding
	return s
}

// drop gives up the file, its bytes, and what a cache has of it.
func (it *item) drop() {
	if it.clip != nil {
		_ = it.clip.video.Close() // which never fails
		it.clip = nil
	}
	if it.object != nil {
		it.object.Close()
		it.object = nil
	}
	if it.data != nil {
		it.data.Release()
		it.data = nil
	}
	if it.share != nil {
		it.share.Release()
		it.share = nil
	}
	if it.kept.chunk != nil {
		it.kept.chunk.Release()
		it.kept = kept{}
	}
}

// settle gives up the slot, or the part. The item owns the batches that this completes.
func (it *item) settle() {
	if it.part != nil {
		it.part.Release()
		it.part = nil
	}
	if it.placed {
		it.placed = false
		it.batches = it.assembler.Fail(it.slot)
	}
}

// Release gives up everything.
func (it *item) Release() {
	it.drop()
	it.settle()
	for _, b := range it.batches {
		b.Release()
	}
	it.batches = nil
}
