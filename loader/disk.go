package loader

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/source/cache"
)

// disk keeps decoded samples in a folder.
type disk struct {
	folder *cache.Folder
	recipe string
}

// newDisk is nil where nothing is to be kept. The error is spool.ErrOptions.
func newDisk(o Options, m medium) (*disk, error) {
	if o.Disk == nil {
		return nil, nil
	}
	text, ok := recipe(m.sample, m.recipe, m.jpeg, o.Limits)
	if !ok {
		return nil, fmt.Errorf("%w: what is decoded by a function of one's own cannot be kept on a disk", spool.ErrOptions)
	}
	return &disk{folder: o.Disk, recipe: text}, nil
}

// locate looks whether an item's sample is there. An item whose bytes cannot be told from others is neither found nor kept.
func (d *disk) locate(it *item) {
	if id := it.info.Identity; id != "" {
		it.key = cache.NewKey(cache.Sample, it.sample.Name, id, d.recipe)
		it.keyed, it.stored = true, d.folder.Has(it.key)
	}
}

// find reads an item's sample into its slot. It is false where that has gone meanwhile, or is not whole.
func (d *disk) find(it *item) bool {
	note, ok := d.folder.Get(it.key, it.slot.Bytes())
	if !ok {
		return false
	}
	var s batch.Sample
	if err := json.Unmarshal(note, &s); err != nil {
		return false
	}
	it.sample = deliveredAs(s, it.sample)
	return true
}

// keep keeps an item's sample, with what there is to say of it.
func (d *disk) keep(it *item) {
	s := deliveredAs(it.sample, batch.Sample{})
	if note, err := json.Marshal(s); err == nil {
		d.folder.Put(it.key, note, it.slot.Bytes(), it.spent)
	}
}

// restore makes an item's sample of what the disk has, or reads its bytes for the decoder after all.
func (l *Loader) restore(ctx context.Context, it *item) (done bool, err error) {
	if l.disk.find(it) {
		return true, nil
	}
	it.stored = false
	if n := it.info.Size; n <= l.medium.whole {
		if it.data, err = l.files.GetFor(ctx, int(n), spool.Compressed); err != nil {
			return false, err
		}
	}
	return false, l.fetch(ctx, it)
}
