package loader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// fetchers is how many files are read at a time. Local reads are short; a few keep the decoders fed
// while one of them waits for the disk.
const fetchers = 4

// Loader goes through a source once (or Epochs times) and gives its batches. It is made by Images.
type Loader struct {
	source    source.Source
	options   ImageOptions
	decoder   *decode.Decoder
	slabs     *spool.Pool // the batches' memory
	files     *spool.Pool // compressed bytes
	assembler *batch.Assembler
	gatherer  *gatherer
	pipeline  *pipe.Pipeline
	batches   *pipe.Flow[*batch.Batch]
}

// Images prepares a loader of pictures. The source is lent until Close. Nothing is read before Batches.
// The error is ErrOptions with all that is wrong, or ErrEmpty for a source without samples.
func Images(src source.Source, o ImageOptions) (_ *Loader, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.setDefaults()
	if o.samples(src) == 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no samples"}
	}
	l := &Loader{source: src, options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.decoder, err = decode.New(decode.Options{Limits: o.Limits, JPEG: o.JPEG}); err != nil {
		return nil, err
	}
	if l.files, err = spool.NewPool(spool.PoolOptions{MaxBytes: fileMemory(l.decoder.Limits().MaxBytes)}); err != nil {
		return nil, err
	}
	sample, _ := o.Spec.Sample()
	if l.slabs, err = spool.NewPool(spool.PoolOptions{MaxBytes: l.slabMemory(sample)}); err != nil {
		return nil, err
	}
	n, _ := sample.Bytes()
	if err = l.slabs.Reserve((o.Batch+1)*n, l.slabCount()); err != nil { // all of them from the beginning: memory does not grow later
		return nil, err
	}
	l.assembler, err = batch.New(batch.Options{Size: o.Batch, Sample: sample, Pool: l.slabs, Order: o.Order, Last: o.Last})
	if err != nil {
		return nil, err
	}
	l.gatherer = &gatherer{assembler: l.assembler}
	l.build()
	return l, nil
}

// build puts the stages together.
func (l *Loader) build() {
	o := l.options
	policy := pipe.Skip
	if o.OnError == Fail {
		policy = pipe.Fail
	}
	stageOrder := pipe.Ordered
	if o.Order == batch.Any {
		stageOrder = pipe.AsCompleted
	}
	p := pipe.New(pipe.Options{OnFailure: policy, MaxFailures: o.MaxFailures, MaxFailureRate: o.MaxFailureRate, Ledger: o.Ledger, Describe: describe})
	list := pipe.FromSeq(p, "list", l.list())
	open := pipe.Map(list, "open", pipe.Stage{}, l.stage("open", l.open))
	fetch := pipe.Map(open, "fetch", pipe.Stage{Workers: fetchers, Order: stageOrder}, l.stage("fetch", l.fetch))
	decoded := pipe.Map(fetch, "decode", pipe.Stage{Workers: o.Workers, Order: stageOrder, Queue: reorder(o.Workers)}, l.stage("decode", l.decode))
	l.batches = pipe.Collate(decoded, "batch", pipe.Stage{Queue: o.Prefetch}, l.gatherer)
	l.pipeline = p
}

// reorder is how many decoded samples may wait for a slow one in front of them: pictures of one data
// set differ in cost by a factor of a hundred.
func reorder(workers int) int { return max(32, 8*workers) }

// fileMemory is the ceiling for compressed bytes: room for the largest file allowed, of which a pool
// makes up to a quarter more.
func fileMemory(largest int64) int64 {
	const least, most = 1 << 30, math.MaxInt64
	return max(least, largest+min(largest/4, most-largest))
}

// slabCount is how many batches there may be at a time: one that the consumer holds, those that wait for
// it, and those that the samples under way span, begun and not complete.
func (l *Loader) slabCount() int {
	o := l.options
	underway := 4*fetchers + o.Workers + reorder(o.Workers) + 8
	return 1 + o.Prefetch + (underway+o.Batch-1)/o.Batch + 1
}

// slabMemory is the ceiling for batches, with what the pool's classes may add.
func (l *Loader) slabMemory(sample spool.Desc) int64 {
	n, _ := sample.Bytes()
	return int64(l.slabCount()) * (int64(l.options.Batch+1)*int64(n)*5/4 + 1<<14)
}

// Batches runs the loader: the loop's body owns each batch. It works once. An error comes last, once:
// the failure that ended the run under Fail, pipe.ErrTooManyFailures, the cause of ctx's end, or ErrEmpty
// when not a single sample was good.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[*batch.Batch, error] {
	return func(yield func(*batch.Batch, error) bool) {
		for b, err := range l.batches.All(ctx) {
			if !yield(b, err) || err != nil {
				return
			}
		}
		if l.gatherer.samples == 0 {
			yield(nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "not one sample could be decoded"})
		}
	}
}

// Report is what each stage has done so far and which one limits. It may be called at any time.
func (l *Loader) Report() pipe.Report { return l.pipeline.Report() }

// JPEG is what has decoded JPEG pictures so far, and why. It may be called at any time before Close.
func (l *Loader) JPEG() decode.JPEGCounts { return l.decoder.JPEG() }

// Close frees everything. Batches that the consumer still holds stay valid and are reported as ErrLeaked.
func (l *Loader) Close() error {
	var err error
	if l.assembler != nil {
		err = errors.Join(err, l.assembler.Close())
	}
	for _, pool := range []*spool.Pool{l.slabs, l.files} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	if l.decoder != nil {
		err = errors.Join(err, l.decoder.Close())
	}
	return err
}

// list names the samples of all epochs in order.
func (l *Loader) list() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		n := l.options.samples(l.source)
		for epoch := range l.options.Epochs {
			var samples order.Order = order.Sequential(l.source.Len())
			if l.options.Shuffle {
				samples = order.NewPermutation(l.source.Len(), l.options.Seed, uint64(epoch))
			}
			for i := range n {
				index := samples.At(i)
				s := l.source.Item(index)
				if !yield(&item{assembler: l.assembler, index: index, epoch: epoch, sample: batch.Sample{ID: s.ID, Name: s.Name, Label: s.Label}}) {
					return
				}
			}
		}
	}
}

// open takes the sample's slot and, from its size, memory for its bytes. One worker does this for all
// samples in order: whoever waits for memory waits for samples in front of it only.
func (l *Loader) open(ctx context.Context, it *item) (err error) {
	if it.slot, err = l.assembler.Slot(ctx, it.epoch); err != nil {
		return err
	}
	it.placed = true
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
	it.data, err = l.files.GetFor(ctx, int(n), spool.Compressed)
	return err
}

// fetch reads the sample's bytes.
func (l *Loader) fetch(ctx context.Context, it *item) error {
	if err := source.ReadFull(ctx, it.object, it.data.Bytes()); err != nil {
		return err
	}
	it.object.Close()
	it.object = nil
	return nil
}

// decode writes the sample into its slot.
func (l *Loader) decode(ctx context.Context, it *item) error {
	o := &l.options
	spec := o.Spec
	if o.augments() {
		spec.Draw = func(width, height int) (resize.Spec, error) {
			return o.Augment.Draw(o.Spec.Resize, o.Seed, uint64(it.epoch), uint64(it.sample.ID), width, height)
		}
	}
	report, err := l.decoder.ImageInto(ctx, it.data.Bytes(), it.slot.Bytes(), spec)
	if err != nil {
		return err
	}
	part := report.Region
	it.sample.View = batch.View{Left: part.Left, Top: part.Top, Width: part.Width, Height: part.Height, FlipX: report.FlipX, FlipY: report.FlipY}
	it.sample.Warnings, it.sample.Warning = report.Warnings, report.Warning
	if report.Damaged {
		it.sample.State = batch.Damaged
	}
	it.drop()
	return nil
}
