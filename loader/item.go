package loader

import (
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/source"
)

// item is a sample on its way. It owns what it has so far; stages hand it on by pointer.
type item struct {
	assembler *batch.Assembler
	index     int // in the source
	epoch     int
	sample    batch.Sample
	slot      batch.Slot
	placed    bool          // slot is held
	object    source.Object // open, until fetched
	data      *spool.Buffer // the file's bytes, until decoded
}

// ID is the sample's position in the source, as the ledger names it.
func (it *item) ID() string { return strconv.FormatInt(it.sample.ID, 10) }

// drop gives up the file and its bytes.
func (it *item) drop() {
	if it.object != nil {
		it.object.Close()
		it.object = nil
	}
	if it.data != nil {
		it.data.Release()
		it.data = nil
	}
}

// Release gives up everything, the slot included.
func (it *item) Release() {
	it.drop()
	if it.placed {
		it.placed = false
		it.assembler.Fail(it.slot)
	}
}
