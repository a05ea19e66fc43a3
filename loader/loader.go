package loader

import (
	"context"
	"errors"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// Loader goes through a source once (or Epochs times) and gives its batches. It is made by Images, Videos or Audio.
type Loader struct {
	source    source.Source
	options   Options
	course    *course
	medium    medium
	decoder   *decode.Decoder
	far       *approach        // of samples that lie far away; nil where none do
	disk      *disk            // nil: nothing is kept there
	ahead     *pipe.Bytes      // of files that are not decoded yet
	files     *spool.Pool      // compressed bytes
	slabs     *spool.Pool      // the batches' memory
	assembler *batch.Assembler // nil, as slabs is, where files have no slots
	gatherer  *gatherer
	pipeline  *pipe.Pipeline
	batches   *pipe.Flow[*batch.Batch]
}

// load prepares a loader of valid options. The error is ErrEmpty for a source without samples.
func load(src source.Source, o Options, m medium) (_ *Loader, err error) {
	o.setDefaults()
	if _, streamed := src.(source.Streamed); streamed {
		if err := o.checkStream(); err != nil {
			return nil, err
		}
	}
	turn := o.Batch
	if !m.slots { // each sample is a batch
		turn = 1
	}
	course, err := newCourse(o, src.Len(), turn)
	if err != nil {
		return nil, err
	}
	if course.begin.Samples == 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no samples"}
	}
	if o.Cache != nil {
		if err := o.Cache.bind(src, m); err != nil {
			return nil, err
		}
	}
	l := &Loader{source: src, options: o, course: course, medium: m, far: newApproach(src, o), ahead: pipe.NewBytes(int(o.Ahead))}
	if l.disk, err = newDisk(o, m); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.decoder, err = decode.New(decode.Options{Limits: o.Limits, JPEG: m.jpeg}); err != nil {
		return nil, err
	}
	if l.files, err = spool.NewPool(spool.PoolOptions{MaxBytes: fileMemory(l.decoder.Limits().MaxBytes), MaxKept: o.Ahead}); err != nil {
		return nil, err
	}
	if m.slots {
		if err = l.assemble(); err != nil {
			return nil, err
		}
	}
	l.gatherer = &gatherer{assembler: l.assembler, epoch: int(course.begin.State.Epoch), batches: map[int]int{}}
	l.build()
	return l, nil
}

// assemble makes the slabs and what gives out their slots.
func (l *Loader) assemble() (err error) {
	o, sample := l.options, l.medium.sample
	if l.slabs, err = spool.NewPool(spool.PoolOptions{MaxBytes: l.slabMemory(), Allocator: o.Allocator}); err != nil {
		return err
	}
	n, _ := sample.Bytes()
	if err = l.slabs.Reserve((o.Batch+1)*n, l.slabCount()); err != nil { // all of them from the beginning: memory does not grow later
		return err
	}
	settings := batch.Options{Size: o.Batch, Sample: sample, Pool: l.slabs, Order: o.Order, Last: o.Last}
	if o.Rank.World > 1 {
		settings.Batches = l.course.leftBatches
	}
	l.assembler, err = batch.New(settings)
	return err
}

// build puts the stages together.
func (l *Loader) build() {
	o, m := l.options, l.medium
	p := pipe.New(pipe.Options{OnFailure: o.failurePolicy(), MaxFailures: o.MaxFailures, MaxFailureRate: o.MaxFailureRate, Ledger: o.Ledger, Describe: Describe,
		Replace: l.failed, CPUShare: o.CPUShare})
	locating, fetching, decoding := o.crews(m, l.far != nil)
	first := int(l.course.begin.State.Epoch)
	list := pipe.FromEpochs(p, "list", pipe.Stage{}, max(1, o.Epochs-first), func(ctx context.Context, n int) iter.Seq2[*item, error] { return l.list(ctx, first+n) })
	filled := l.filled(list, locating, fetching)
	var decoded *pipe.Flow[*item]
	if m.parts != nil {
		decoding.Order = pipe.AsCompleted
		decoded = pipe.FlatMap(filled, "decode", decoding, l.parts)
	} else {
		decoded = pipe.Map(filled, "decode", decoding, step(l.decode))
	}
	l.batches = pipe.Collate(decoded, "batch", pipe.Stage{Queue: o.Prefetch}, l.gatherer)
	l.pipeline = p
}

// Len is how many samples are to come in all, bad ones included, from where the loader begins. It is negative of a stream.
func (l *Loader) Len() int {
	if l.course.streamed() {
		return -1
	}
	first := int(l.course.begin.State.Epoch)
	if first >= l.options.Epochs {
		return 0
	}
	return l.course.left(first) + (l.options.Epochs-first-1)*l.course.left(first+1)
}

// Share says how many samples of an epoch come twice, on all ranks together, and how many nobody takes: see Options.Rest.
func (l *Loader) Share() (repeated, dropped int) {
	if l.course.streamed() {
		return 0, 0
	}
	s := l.course.size(order.State{})
	return s.Padded, s.Dropped
}

// EpochBatches is how many batches a whole epoch has, if no sample is bad. It is negative of a stream.
func (l *Loader) EpochBatches() int {
	if l.course.streamed() {
		return -1
	}
	samples := l.course.size(order.State{}).Len()
	if !l.medium.slots { // each is a batch, or several
		return samples
	}
	return l.course.batches(samples)
}

// Epochs runs the loader: a loop over its epochs, and within it one over the batches of each, whose body owns them.
// Workers are in the next epoch while an inner loop ends. What a broken inner loop leaves of an epoch is given up when the outer
// one goes on. It works once. An error comes last, once, in the inner loop: the failure that ended the run under Fail,
// pipe.ErrTooManyFailures, the cause of ctx's end, or ErrEmpty when not a single sample was good.
func (l *Loader) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[*batch.Batch, error]] {
	if l.options.Headspace {
		return l.replay(ctx)
	}
	return l.run(ctx)
}

// Batches is Epochs in one loop.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[*batch.Batch, error] {
	return flat(l.Epochs(ctx))
}

// flat is a loop over all epochs' batches.
func flat[B any](epochs iter.Seq2[int, iter.Seq2[B, error]]) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for _, batches := range epochs {
			for b, err := range batches {
				if !yield(b, err) {
					return
				}
			}
		}
	}
}

// run gives the batches as they are loaded.
func (l *Loader) run(ctx context.Context) iter.Seq2[int, iter.Seq2[*batch.Batch, error]] {
	return func(yield func(int, iter.Seq2[*batch.Batch, error]) bool) {
		epoch := int(l.course.begin.State.Epoch)
		for _, batches := range l.batches.Epochs(ctx) {
			if !yield(epoch, l.deliver(epoch, batches)) {
				return
			}
			epoch++
		}
	}
}

// deliver gives the batches of an epoch, and counts them.
func (l *Loader) deliver(epoch int, batches iter.Seq2[*batch.Batch, error]) iter.Seq2[*batch.Batch, error] {
	return func(yield func(*batch.Batch, error) bool) {
		for b, err := range batches {
			if err == nil && l.inOrder() {
				last := b.Samples[b.Len()-1]
				b.Index = l.course.delivered(b.Epoch, b.Len()-b.Padded, last.Place, last.Name)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
		if last := epoch >= l.options.Epochs-1; last && l.gatherer.samples == 0 && l.Report().Stages[0].Items > 0 { // else nothing was left of what it resumed
			yield(nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "not one sample could be decoded"})
		}
	}
}

// Report is what each stage has done so far and which one limits. It may be called at any time.
func (l *Loader) Report() pipe.Report { return l.pipeline.Report() }

// Profile runs the loader in place of Batches, one stage at a time, and says what each could do alone: see
// pipe.Pipeline.Profile. Samples of a round wait as batches at the end, for which there has to be room: give Prefetch so
// many of them.
func (l *Loader) Profile(ctx context.Context, o pipe.Profiling) (pipe.Profile, error) {
	return l.pipeline.Profile(ctx, o)
}

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
