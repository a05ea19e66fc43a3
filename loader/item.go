package loader

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// item is a sample in flight. It owns its resources, and stages pass it on by pointer.
type item struct {
	pick
	assembly assembly
	number   int // position in the list of a remote source, from 1
	sample   batch.Sample
	arrays   []batch.Field // with the sizes of this sample, if these vary
	bucket   int           // of FormBucket
	slot     batch.Slot
	single   *batch.Single   // instead of slot, if sizes vary
	placed   bool            // the item owns slot or single
	inputs   []input         // one, or those of a record
	segment  *source.Segment // the part of its file that it is; nil: the whole file
	data     *spool.Buffer   // the inputs' bytes, until decoded
	memory   *spool.Pool     // instead of data: for the ranges of clip
	ahead    *record.Ahead   // of a record: open videos whose ranges were fetched
	clip     *clip           // instead of data: an open video whose ranges were fetched
	buffer   *spool.Buffer   // decoded sample without a slot
	cached   cachedSample    // found in a Cache, until copied to the slot
	key      cache.Key       // of the disk cache's entry, if keyed is set
	keyed    bool
	stored   bool           // the disk cache seems to have it
	spent    time.Duration  // time taken to fetch and decode it
	failed   bool           // it has failed, and the later stages pass it on to the collector
	batches  []*batch.Batch // the batches that its failure completed
}

// ID returns the sample's position in the source, in the form of the ledger.
func (it *item) ID() string { return strconv.FormatInt(it.sample.ID, 10) }

// File returns the sample's name, for the ledger.
func (it *item) File() string { return it.sample.Name }

// Size returns the bytes of its files in memory, for pipe.Stage.QueueBytes.
func (it *item) Size() int64 {
	if it.data == nil {
		return 0
	}
	return int64(len(it.data.Bytes()))
}

// input is a file of a sample.
type input struct {
	object spool.Object     // open until it is fetched; nil for an optional input that the sample lacks
	info   spool.ObjectInfo // of the object, at the time of opening
	whole  bool             // it is read whole
	partly bool             // ranges of it are fetched before it is decoded
	data   []byte           // the file's bytes within item.data, once memory is reserved
	read   bool             // data has them
}

// reader returns an object with the input's bytes: in memory, with the given name, or as the source opened it. It
// returns nil if the sample lacks it.
func (in *input) reader(name string) spool.Object {
	if in.read {
		return spool.Bytes{Data: in.data, Name: name, Identity: in.info.Identity}
	}
	return in.object
}

// close closes the object.
func (in *input) close() {
	if in.object != nil {
		in.object.Close()
		in.object = nil
	}
}

// input returns an object with the bytes of an item with one input.
func (it *item) input() spool.Object { return it.inputs[0].reader(it.sample.Name) }

// identity returns the identity of all inputs together, and of the segment; empty if an input has none.
func (it *item) identity() string {
	if len(it.inputs) == 1 && it.segment == nil {
		return it.inputs[0].info.Identity
	}
	var all strings.Builder
	for i := range it.inputs {
		id := it.inputs[i].info.Identity
		if value, ok := it.inputs[i].object.(spool.Bytes); ok && id == "" { // of a table's cell
			id = fmt.Sprintf("%x", sha256.Sum256(value.Data))
		}
		if it.inputs[i].object == nil {
			id = "absent"
		}
		if id == "" {
			return ""
		}
		all.WriteString(id + "\n")
	}
	if it.segment != nil {
		all.WriteString(it.segment.String())
	}
	return all.String()
}

// field returns the memory of an array.
func (it *item) field(f int) []byte {
	if it.single != nil {
		return it.single.Field(f)
	}
	return it.slot.Field(f)
}

// spend adds the time since begun to the item's cost.
func (it *item) spend(begun time.Time) { it.spent += time.Since(begun) }

// copy copies the cached sample to the slot.
func (it *item) copy() {
	it.setBytes(it.cached.bytes)
	it.sample = cloned(deliveredAs(it.cached.sample, it.sample))
}

// cloned returns a sample that shares no memory with s.
func cloned(s batch.Sample) batch.Sample {
	s.Frames, s.Values, s.Absent = slices.Clone(s.Frames), slices.Clone(s.Values), slices.Clone(s.Absent)
	for i := range s.Values {
		s.Values[i].Data = slices.Clone(s.Values[i].Data)
	}
	return s
}

// bytes returns the bytes of a decoded sample: those of its slot, or of its arrays one after the other.
func (it *item) bytes(arrays int) (all []byte) {
	if arrays == 1 {
		return it.slot.Bytes()
	}
	for f := range arrays {
		all = append(all, it.slot.Field(f)...)
	}
	return all
}

// putBytes writes what bytes returns.
func (it *item) putBytes(to []byte) {
	for f := 0; len(to) > 0; f++ {
		to = to[copy(to, it.slot.Field(f)):]
	}
}

// setBytes writes what bytes has returned to the item's slot.
func (it *item) setBytes(all []byte) {
	for f := 0; len(all) > 0; f++ {
		all = all[copy(it.slot.Field(f), all):]
	}
}

// deliveredAs returns the results of decoding in s, with the origin and the position in the epoch of as.
func deliveredAs(s, as batch.Sample) batch.Sample {
	s.ID, s.Name, s.Key, s.Label = as.ID, as.Name, as.Key, as.Label
	s.Place, s.Occurrence, s.Padding = as.Place, as.Occurrence, as.Padding
	return s
}

// drop releases the file, its bytes, and the cached sample.
func (it *item) drop() {
	if it.clip != nil {
		_ = it.clip.video.Return(nil) // never fails
		it.clip = nil
	}
	if it.ahead != nil {
		_ = it.ahead.Close() // never fails
		it.ahead = nil
	}
	for i := range it.inputs {
		it.inputs[i].close()
		it.inputs[i].data, it.inputs[i].read = nil, false
	}
	if it.data != nil {
		it.data.Release()
		it.data = nil
	}
	if it.memory != nil {
		_ = it.memory.Close() // clip has released its ranges
		it.memory = nil
	}
	if it.cached.chunk != nil {
		it.cached.chunk.Release()
		it.cached = cachedSample{}
	}
}

// settle releases the slot, or the buffer. The item owns the batches that this completes.
func (it *item) settle() {
	if it.buffer != nil {
		it.buffer.Release()
		it.buffer = nil
	}
	if it.placed {
		it.placed = false
		it.batches = it.assembly.fail(it)
	}
}

// Release releases everything.
func (it *item) Release() {
	it.drop()
	it.settle()
	for _, b := range it.batches {
		b.Release()
	}
	it.batches = nil
}
