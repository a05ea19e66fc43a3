package loader

import (
	"encoding/json"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source/cache"
)

// diskCache keeps decoded samples in a folder.
type diskCache struct {
	folder *cache.Folder
	recipe string
	arrays int // of a sample
	bytes  int
}

// newDiskCache returns nil if Caches.Disk is nil. The error is spool.ErrOptions.
func newDiskCache(o Options, m mediumSpec) (*diskCache, error) {
	if o.Caches.Disk == nil {
		return nil, nil
	}
	text, ok := recipe(m.sample, m.recipe, m.jpeg, o.Limits)
	if !ok {
		return nil, invalid.Errorf("samples that a custom function changes cannot be kept on a disk")
	}
	return &diskCache{folder: o.Caches.Disk, recipe: text, arrays: len(m.arrays()), bytes: m.sampleBytes()}, nil
}

// locate looks up an item's sample. An item whose object has no identity is neither looked up nor kept.
func (d *diskCache) locate(it *item) {
	if id := it.identity(); id != "" {
		it.key = cache.NewKey(cache.Sample, it.sample.Name, id, d.recipe)
		it.keyed, it.stored = true, d.folder.Has(it.key)
	}
}

// find reads an item's sample into its slot. It returns false if the entry was removed meanwhile or is incomplete.
func (d *diskCache) find(it *item) bool {
	var to []byte
	if d.arrays == 1 {
		to = it.slot.Bytes()
	} else {
		to = make([]byte, d.bytes)
	}
	note, ok := d.folder.Get(it.key, to)
	if !ok {
		return false
	}
	if d.arrays > 1 {
		it.setBytes(to)
	}
	var s batch.Sample
	if err := json.Unmarshal(note, &s); err != nil {
		return false
	}
	it.sample = deliveredAs(s, it.sample)
	return true
}

// keep adds an item's sample, with its metadata.
func (d *diskCache) keep(it *item) {
	s := deliveredAs(it.sample, batch.Sample{})
	if note, err := json.Marshal(s); err == nil {
		d.folder.Put(it.key, note, it.bytes(d.arrays), it.spent)
	}
}

// restore reads an item's sample from the disk cache. If that fails, the decoder reads the item's object: memory for
// its bytes was taken in order or not at all.
func (l *Loader) restore(it *item) (done bool) {
	it.stored = l.disk.find(it)
	return it.stored
}
