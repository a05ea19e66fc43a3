package loader

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
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
			l.Close()
		}
	}()
	if l.decoder, err = decode.New(decode.Options{Limits: o.Limits}); err != nil {
		return nil, err
	}
	if l.files, err = spool.NewPool(spool.PoolOptions{MaxBytes: fileMemory(o.Limits)}); err != nil {
		return nil, err
	}
	sample, _ := o.Spec.Sample()
	if l.slabs, err = spool.NewPool(spool.PoolOptions{MaxBytes: l.slabMemory(sample)}); err != nil {
		return nil, err
	}
	l.assembler, err = batch.New(batch.Options{Size: o.Batch, Sample: sample, Pool: l.slabs, Order: o.Order, Last: o.Last})
	if err != nil {
		return nil, err
	}
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
	open := pipe.Map(list, "open", pipe.Stage{}, l.open)
	fetch := pipe.Map(open, "fetch", pipe.Stage{Workers: fetchers, Order: stageOrder}, l.fetch)
	decoded := pipe.Map(fetch, "decode", pipe.Stage{Workers: o.Workers, Order: stageOrder, Queue: reorder(o.Workers)}, l.decode)
	l.batches = pipe.Collate(decoded, "batch", pipe.Stage{Queue: o.Prefetch}, &gatherer{assembler: l.assembler})
	l.pipeline = p
}

// reorder is how many decoded samples may wait for a slow one in front of them: pictures of one data
// set differ in cost by a factor of a hundred.
func reorder(workers int) int { return max(32, 8*workers) }

// fileMemory is the ceiling for compressed bytes: room for the largest file allowed.
func fileMemory(l decode.Limits) int64 {
	const least = 1 << 30
	return max(least, 2*l.MaxBytes)
}

// slabMemory is the ceiling for batches: one that the consumer holds, those that wait for it, those
// that the samples under way span, and two that the assembler needs.
func (l *Loader) slabMemory(sample spool.Desc) int64 {
	o := l.options
	underway := 4*fetchers + o.Workers + reorder(o.Workers) + 8
	slabs := 1 + o.Prefetch + (underway+o.Batch-1)/o.Batch + 2
	n, _ := sample.Bytes()
	return int64(slabs) * (int64(o.Batch+1)*int64(n)*5/4 + 1<<14)
}

// Batches runs the loader: the loop's body owns each batch. It works once. An error comes last, once:
// the failure that ended the run under Fail, pipe.ErrTooManyFailures, the cause of ctx's end, or ErrEmpty
// when not a single sample was good.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[*batch.Batch, error] {
	return func(yield func(*batch.Batch, error) bool) {
		delivered := false
		for b, err := range l.batches.All(ctx) {
			delivered = delivered || err != nil || b != nil
			if !yield(b, err) {
				return
			}
		}
		if !delivered && l.options.Last != batch.Drop {
			yield(nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "not one sample could be decoded"})
		}
	}
}

// Report is what each stage has done so far and which one limits. It may be called at any time.
func (l *Loader) Report() pipe.Report { return l.pipeline.Report() }

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
func (l *Loader) open(ctx context.Context, it *item) (*item, error) {
	var err error
	if it.slot, err = l.assembler.Slot(ctx, it.epoch); err != nil {
		return nil, err
	}
	it.placed = true
	if it.object, err = l.source.Open(ctx, it.index); err != nil {
		return l.bad(ctx, it, "open", err)
	}
	n := it.object.Size()
	if n == 0 {
		return l.bad(ctx, it, "open", &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"})
	}
	if limit := l.decoder.Limits().MaxBytes; n > limit {
		return l.bad(ctx, it, "open", &spool.Error{Op: "open", Class: spool.ErrTooLarge, Text: fmt.Sprintf("%d bytes, the limit is %d", n, limit)})
	}
	if it.data, err = l.files.GetFor(ctx, int(n), spool.Compressed); err != nil {
		return l.bad(ctx, it, "open", err)
	}
	return it, nil
}

// fetch reads the sample's bytes.
func (l *Loader) fetch(ctx context.Context, it *item) (*item, error) {
	if it.object == nil { // a placeholder
		return it, nil
	}
	if err := source.ReadFull(ctx, it.object, it.data.Bytes()); err != nil {
		return l.bad(ctx, it, "fetch", err)
	}
	it.object.Close()
	it.object = nil
	return it, nil
}

// decode writes the sample into its slot.
func (l *Loader) decode(ctx context.Context, it *item) (*item, error) {
	if it.data == nil { // a placeholder
		return it, nil
	}
	report, err := l.decoder.ImageInto(ctx, it.data.Bytes(), it.slot.Bytes(), l.options.Spec)
	if err != nil {
		return l.bad(ctx, it, "decode", err)
	}
	if report.Damaged {
		it.sample.State = batch.Damaged
	}
	it.drop()
	return it, nil
}

// bad ends the item, or makes it a placeholder.
func (l *Loader) bad(ctx context.Context, it *item, stage string, err error) (*item, error) {
	err = spool.InFile(err, it.sample.Name)
	class := spool.ClassOf(err)
	if l.options.OnError != Placeholder || class == "" || class == spool.ErrCanceled {
		it.Release()
		return nil, err
	}
	it.drop()
	if blank := l.decoder.Blank(ctx, it.slot.Bytes(), l.options.Spec); blank != nil {
		it.Release()
		return nil, blank
	}
	it.sample.State = batch.Placeholder
	l.pipeline.Record(pipe.Failure{ID: it.ID(), Stage: stage, Action: "placeholder", Err: err})
	return it, nil
}

// describe gives the ledger what the error knows.
func describe(f *pipe.Failure) {
	f.Class = string(spool.ClassOf(f.Err))
	var e *spool.Error
	if errors.As(f.Err, &e) {
		f.File, f.Text = e.File, e.Detail()
	}
}
