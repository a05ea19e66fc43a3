package loader

import (
	"context"
	"iter"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// mediumSpec is what the pipeline needs to know about a medium. Everything else is the same for images, video and
// audio. Its functions are called concurrently.
type mediumSpec struct {
	// record is the plan of records, whose samples have several inputs and several arrays; nil for one file and one array.
	record *record.Plan

	// slots reports that samples are collated to batches: they have one size, that of sample, or sizes that form allows.
	// Otherwise the size is unknown before decoding, and each file is a batch of its own, or several.
	slots  bool
	sample spool.Desc

	// form is how batches hold samples that differ in size. buckets are the arrays of a sample in each bucket, or nil.
	// identity is what a state with waiting samples depends on; see Form.identity.
	form     Form
	buckets  [][]batch.Field
	identity string

	// measure, if not nil, sets the bucket of an item that was read, or the sizes of its arrays.
	measure func(ctx context.Context, d *decoders.Set, it *item) error

	// recipe is everything that determines a file's sample. A cache serves loaders with equal recipes.
	recipe any

	// whole is the largest size of files that are read whole before decoding. The decoder reads the ranges that it needs
	// from larger ones.
	whole int64

	// fetchRanges, if not nil, is called for remote files larger than remoteWhole. It fetches the ranges that decode will
	// need, into the item's memory.
	fetchRanges func(ctx context.Context, d *decoders.Set, it *item) error

	// fetchers is how many local files are opened, and as many read, at a time at first. A few keep the decoders busy
	// while one waits for the disk. ahead returns how many decoded samples may wait for a slow one before them, for a
	// number of workers.
	fetchers int
	ahead    func(workers int) int

	// firstWorkers is how many samples of local sources are decoded at a time until the first batch is taken; 0 means all
	// that Options.Workers allows. With more than the cores, samples of later batches take time from the first.
	firstWorkers int

	// cores is the number when the loader was made, since it may change: memory is planned for these workers.
	cores int

	// jpeg chooses the engine for JPEG images.
	jpeg image.JPEGEngine

	// decode writes the item's sample to its slot, or to a buffer for the item, and sets its metadata.
	decode func(ctx context.Context, d *decoders.Set, it *item) error
	// chunks, instead of decode, yields the chunks of the item's file in order. An error comes last.
	chunks func(ctx context.Context, d *decoders.Set, it *item) iter.Seq2[*item, error]
	// blank fills an item's slot with the placeholder of a bad sample.
	blank func(ctx context.Context, d *decoders.Set, it *item) error
	// open, if not nil, opens the device that decode uses, and returns its counters.
	open func(d *decoders.Set) (counts func() device.Counts, err error)
	// close, if not nil, frees what decode keeps, before the decoders are closed.
	close func() error
}

// readsWhole reports whether input k of a sample is read whole, at a size of n bytes.
func (m *mediumSpec) readsWhole(k int, n int64) bool {
	if m.record == nil {
		return n <= m.whole
	}
	return n <= m.record.Whole(k)
}

// parted reports whether input k of a sample is a file of which many samples are parts.
func (m *mediumSpec) parted(k int, segment *source.Segment) bool {
	if m.record == nil {
		return segment != nil
	}
	return m.record.Owned(k)
}

// imageMedium returns what images and records have in common. The decoding times of one data set's images differ by a
// factor of a hundred, so many may have to wait for one.
func imageMedium() mediumSpec {
	return mediumSpec{slots: true, whole: math.MaxInt64, fetchers: 4,
		ahead: func(workers int) int { return max(16, 8*workers) }}
}

// inputs returns the number of inputs of a sample.
func (m *mediumSpec) inputs() int {
	if m.record == nil {
		return 1
	}
	return len(m.record.Inputs())
}

// inInput adds the name of a record's field to an error of input k.
func (m *mediumSpec) inInput(k int, err error) error {
	if m.record == nil {
		return err
	}
	return m.record.InInput(k, err)
}

// arrays returns the arrays of a sample.
func (m *mediumSpec) arrays() []batch.Field {
	if m.record == nil {
		return []batch.Field{{Sample: m.sample}}
	}
	return m.record.Arrays()
}

// sampleBytes returns the size of a sample of fixed size.
func (m *mediumSpec) sampleBytes() (n int) {
	for _, a := range m.arrays() {
		bytes, _ := a.Sample.Bytes()
		n += bytes
	}
	return n
}

// remoteWhole is the largest size of remote files that are read whole even if ranges are enough. Locating the ranges
// takes round trips.
const remoteWhole = 1 << 20

// remoteHold limits the memory for a remote file that is read in ranges. remoteSpare is for reads that were not
// planned.
const (
	remoteHold  = 16 << 20
	remoteSpare = 256 << 10
)

// crop describes the area that a decoder has shown.
func crop(r resize.Region, flipX, flipY bool) batch.Crop {
	return batch.Crop{Left: r.Left, Top: r.Top, Width: r.Width, Height: r.Height, FlipX: flipX, FlipY: flipY}
}
