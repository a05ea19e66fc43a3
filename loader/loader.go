package loader

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
)

// Loader runs through a source's samples, for Options.Epochs epochs, and yields their batches. Images, Videos, Audio
// and Records create it, and its owner calls Close. One of Epochs, Batches, Headspace and Profile may be called, once;
// the other methods say which calls may be concurrent.
type Loader struct {
	source     source.Source
	options    Options
	schedule   *schedule
	mediumSpec mediumSpec
	decoder    *decoders.Set
	openLimit  *openLimit  // limits opens of remote samples; nil for local ones
	disk       *diskCache  // nil without Caches.Disk
	files      *spool.Pool // bytes of files that are not decoded yet: Fetching.Memory
	slabs      *spool.Pool // memory of batches; nil without slots
	reads      *spool.Pool // memory of the batches of Read, which has no ceiling
	assembly   assembly    // nil without slots
	collector  *collector
	pipeline   *pipe.Pipeline
	batches    *pipe.Flow[*batch.Batch]
	repeats    atomic.Bool // Headspace was called

	onDevice func() device.Counts // nil without a device that decodes

	mu    sync.Mutex
	waste batch.Waste // of the batches that were delivered
}

// load returns a loader with valid options. The error is ErrEmpty for a source without samples.
func load(src source.Source, o Options, m mediumSpec) (_ *Loader, err error) {
	o.setDefaults()
	m.cores = cores.Count()
	if _, streamed := src.(source.Streamed); streamed {
		if err := o.checkStream(); err != nil {
			return nil, err
		}
	}
	turn := o.Batch
	if !m.slots { // each sample is a batch
		turn = 1
	}
	schedule, err := newSchedule(o, src.Len(), m.identity, selection(src), turn)
	if err != nil {
		return nil, err
	}
	if schedule.begin.Samples == 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no samples"}
	}
	if o.Caches.Memory != nil {
		if err := o.Caches.Memory.bind(src, m); err != nil {
			return nil, err
		}
	}
	l := &Loader{source: src, options: o, schedule: schedule, mediumSpec: m, openLimit: newOpenLimit(src, o)}
	if l.disk, err = newDiskCache(o, m); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.decoder, err = decoders.New(decoders.Options{Limits: o.Limits, JPEG: m.jpeg, Isolate: o.Isolate}); err != nil {
		return nil, err
	}
	if m.open != nil {
		if l.onDevice, err = m.open(l.decoder); err != nil {
			return nil, err
		}
	}
	if l.files, err = spool.NewPool(spool.PoolOptions{MaxBytes: o.Fetching.Memory,
		MaxBuffer: max(fileMemory(l.decoder.Limits().MaxBytes), remoteHold)}); err != nil {
		return nil, err
	}
	if m.record != nil {
		if l.reads, err = spool.NewPool(spool.PoolOptions{MaxBytes: math.MaxInt64, MaxKept: readsKept,
			Allocator: o.Allocator}); err != nil {
			return nil, err
		}
	}
	if m.slots {
		if err = l.assemble(); err != nil {
			return nil, err
		}
	}
	l.collector = &collector{assembly: l.assembly, epoch: int(schedule.begin.State.Epoch), batches: map[int]int{}}
	l.build()
	return l, nil
}

// selection returns what identifies the rows that a source selects, or "".
func selection(src source.Source) string {
	if s, ok := src.(interface{ Selection() string }); ok {
		return s.Selection()
	}
	return ""
}

// build builds the pipeline.
func (l *Loader) build() {
	o, m := l.options, l.mediumSpec
	p := pipe.New(pipe.Options{OnFailure: o.failurePolicy(), MaxFailures: o.Failures.Max,
		MaxFailureRate: o.Failures.MaxRate, Ledger: o.Failures.Ledger, Describe: Describe,
		Replace: l.failed, CPUShare: o.CPUShare, Watch: o.Stalls.watch(), Observer: o.Observer})
	locating, fetching, decoding := o.stageSettings(m, l.openLimit != nil)
	first := int(l.schedule.begin.State.Epoch)
	list := pipe.FromEpochs(p, "list", pipe.Stage{}, max(1, o.Epochs-first),
		func(ctx context.Context, n int) iter.Seq2[*item, error] { return l.list(ctx, first+n) })
	filled := l.filled(list, locating, fetching, decoding)
	var decoded *pipe.Flow[*item]
	if m.chunks != nil {
		decoding.AsCompleted = true
		decoded = pipe.FlatMap(filled, "decode", decoding, l.chunks)
	} else {
		decoded = pipe.Map(filled, "decode", decoding, step(l.decode))
	}
	l.batches = pipe.Collate(decoded, "batch", pipe.Stage{Queue: o.Prefetch}, l.collector)
	l.pipeline = p
}

// Len returns how many samples will come in all epochs, bad ones included, from where the loader begins. It is negative
// for a stream.
func (l *Loader) Len() int {
	if l.schedule.streamed() {
		return -1
	}
	first := int(l.schedule.begin.State.Epoch)
	if first >= l.options.Epochs {
		return 0
	}
	return l.schedule.remaining(first) + (l.options.Epochs-first-1)*l.schedule.remaining(first+1)
}

// Rest returns how many samples of an epoch come twice, on all ranks together, and how many are dropped: see
// Sharing.Rest.
func (l *Loader) Rest() (repeated, dropped int) {
	if l.schedule.streamed() {
		return 0, 0
	}
	s := l.schedule.size(order.State{})
	return s.Padded, s.Dropped
}

// EpochBatches returns the number of batches in a whole epoch, if no sample is bad. It is negative if it is unknown:
// for a stream, for FormBucket, and for forms whose batches have a budget. With VideoOptions.Every it is the number of
// files, each of which gives one or more batches.
func (l *Loader) EpochBatches() int {
	if l.schedule.streamed() || !l.mediumSpec.form.counted() {
		return -1
	}
	samples := l.schedule.size(order.State{}).Len()
	if !l.mediumSpec.slots { // each is a batch, or several
		return samples
	}
	return l.schedule.batches(samples)
}

// Epochs runs the loader: it yields epochs, and for each epoch a sequence of its batches. The loop's body owns the
// batches. Workers start the next epoch while an inner loop ends. If the body breaks out of an inner loop, the rest of
// that epoch is released when the outer loop continues. Epochs works once.
//
// An error comes last, once, in the inner loop. It is the failure that ended the run under Fail,
// pipe.ErrTooManyFailures, the cause of ctx's end, or ErrEmpty if every sample was bad. A loader that resumes may find
// only bad ones, which is no error: others were delivered before.
func (l *Loader) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[*batch.Batch, error]] {
	return func(yield func(int, iter.Seq2[*batch.Batch, error]) bool) {
		epoch := int(l.schedule.begin.State.Epoch)
		for _, batches := range l.batches.Epochs(ctx) {
			if !yield(epoch, l.deliver(epoch, batches)) {
				return
			}
			epoch++
		}
	}
}

// Batches runs the loader as one loop over the batches of all epochs. It works once.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[*batch.Batch, error] {
	return flat(l.Epochs(ctx))
}

// flat returns one loop over the batches of all epochs.
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

// deliver yields and counts the batches of an epoch.
func (l *Loader) deliver(epoch int, batches iter.Seq2[*batch.Batch, error]) iter.Seq2[*batch.Batch, error] {
	return func(yield func(*batch.Batch, error) bool) {
		for b, err := range batches {
			if err == nil {
				l.count(b.Waste())
			}
			if err == nil && l.inOrder() {
				last := b.Samples[b.Len()-1]
				taken := max(b.Taken, last.Place+1)
				b.Index = l.schedule.delivered(b.Epoch, b.Len()-b.Padded, taken, b.Waiting, last.Name)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
		// otherwise the resumed state was the end of the last epoch, or only bad samples were left
		last := epoch >= l.options.Epochs-1 && !l.schedule.goesOn()
		if last && l.collector.samples == 0 && l.Report().Stages[0].Items > 0 {
			yield(nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no sample could be decoded"})
		}
	}
}

// OnDevice returns how many samples a device has decoded so far, and how many the host has, by reason. It is zero
// without the option OnDevice. It may be called concurrently, at any time before Close.
func (l *Loader) OnDevice() device.Counts {
	if l.onDevice == nil {
		return device.Counts{}
	}
	return l.onDevice()
}

// Waste returns the padding of all batches that were delivered, of images, clips and audio: see batch.Batch.Waste. It
// may be called concurrently, at any time.
func (l *Loader) Waste() batch.Waste {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waste
}

// count adds the padding of a batch that is about to be delivered.
func (l *Loader) count(w batch.Waste) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waste.Add(w)
}

// Report returns what each stage has done so far, and which stage is the bottleneck. It may be called concurrently, at
// any time. Stuck has the samples that Options.Stalls.Watch reports.
func (l *Loader) Report() stats.Report {
	r := l.pipeline.Report()
	r.Stuck = slices.DeleteFunc(r.Stuck, waits)
	return r
}

// Memory returns the memory of the buffers in use: those of batches, files and decoders, by purpose. Memory that is
// kept for reuse, samples of a Cache, and memory of C libraries are not in it. It may be called concurrently, at any
// time.
func (l *Loader) Memory() map[spool.Purpose]spool.Usage {
	all := map[spool.Purpose]spool.Usage{}
	d := l.decoder
	for _, pool := range []*spool.Pool{l.slabs, l.reads, l.files, d.Results(), d.Files(), d.Ranges(), d.Scratch()} {
		if pool == nil {
			continue
		}
		for purpose, u := range pool.Stats().Use {
			sum := all[purpose]
			all[purpose] = spool.Usage{Buffers: sum.Buffers + u.Buffers, Bytes: sum.Bytes + u.Bytes}
		}
	}
	return all
}

// Profile runs the loader instead of Batches, one stage at a time, and reports the throughput of each stage alone: see
// pipe.Pipeline.Profile. At the end, the samples of a round wait as batches. Set Prefetch to at least that many
// batches.
func (l *Loader) Profile(ctx context.Context, o pipe.ProfileOptions) (stats.Profile, error) {
	return l.pipeline.Profile(ctx, o)
}

// Close frees all resources. No loop may be running. Batches that the consumer still holds stay valid, and Close
// reports them as ErrLeaked.
func (l *Loader) Close() error {
	var err error
	if l.assembly != nil {
		err = errors.Join(err, l.assembly.close())
	}
	for _, pool := range []*spool.Pool{l.slabs, l.reads, l.files} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	if l.mediumSpec.close != nil {
		err = errors.Join(err, l.mediumSpec.close())
	}
	if l.decoder != nil {
		err = errors.Join(err, l.decoder.Close())
	}
	return err
}
