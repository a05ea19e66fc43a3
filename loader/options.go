package loader

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/cache"
)

// Options are the settings that all media share. They are embedded in ImageOptions, VideoOptions, AudioOptions and
// RecordOptions. Settings that few programs change are in structs of their own, whose zero values are the defaults.
type Options struct {
	// Batch is the number of samples per batch. 0 means 32.
	Batch int
	// Workers is how many samples are decoded concurrently. 0 means one per core that the process may use:
	// GOMAXPROCS. Auto begins with one per core, within CPUShare, and adds workers while that raises the throughput, up to
	// four per core.
	Workers int
	// CPUShare limits the CPU time of the process, above 0 and at most 1: see pipe.Options. 0 means no limit.
	CPUShare float64
	// Prefetch is how many finished batches may wait for the consumer. 0 means 2.
	Prefetch int

	// Epochs is the number of epochs. 0 means 1.
	Epochs int
	// First is the index of the first epoch to load. Epochs counts the epochs before it, too. The batches are those that
	// a loader beginning with epoch 0 would have from that epoch on.
	First int
	// Limit is how many samples of each epoch are loaded: the first in its order. 0 means all.
	Limit int
	// Shuffle permutes the samples of each epoch differently, with random numbers from Seed.
	Shuffle bool
	// Sampler, if not nil, replaces Shuffle. It returns the samples of an epoch, by their positions in the source. All
	// epochs must have the same length. It may be called concurrently. Package order has weighted and balanced samplers,
	// buckets, shards and mixtures. A sample that comes several times in an epoch has new random numbers each time: see
	// order.Counted.
	Sampler func(epoch uint64) order.Sampler
	// Seed is the seed of the order and of all other random choices.
	Seed uint64
	// Sharing chooses the samples of one of several processes. The zero value loads everything.
	Sharing Sharing
	// Resume continues where a loader stopped: see State.
	Resume []State

	// Order chooses whether samples are delivered in input order. Last chooses what happens to a short last batch.
	Order batch.Order
	Last  batch.Last
	// OnError chooses what happens to bad samples, and Failures how many are too many, and where they are recorded.
	OnError  Policy
	Failures Failures
	// Stalls bound the time that a sample may take, and report samples that take long. The zero value does neither.
	Stalls Stalls

	// Limits bound the resources for one file.
	Limits decode.Limits
	// Isolate has helper processes decode. The zero value is decode.IsolateHEIC, which has them decode HEIC only.
	Isolate decode.Isolation
	// Fetching bounds how many files are in flight, and their memory.
	Fetching Fetching
	// Caches keep decoded samples for later epochs and runs. The zero value keeps none.
	Caches Caches
	// Allocator allocates the memory of batches. Package transfer has one for pinned memory. nil means the default of
	// spool.Pool. Whole files (VideoOptions.Every, audio without a Length) are decoded into memory of the decoder instead.
	Allocator spool.Allocator
	// Observer, if not nil, is told about the work on each sample at each stage: see package pipe/trace.
	Observer pipe.Observer
}

// Sharing divides the samples of a source among several processes, the ranks. Each has its own loader, with otherwise
// equal options.
type Sharing struct {
	// Rank is this process among those that load the source together. The ranks alternate every batch. The zero value is
	// a single process; see order.RankFrom.
	//
	// All ranks have the same number of batches, whatever samples are bad: a rank that lacks batches at an epoch's end
	// repeats its last batch as padding. This does not hold if each file is a batch, or several, nor with Rest Uneven,
	// which FormBucket and batches by cost need. A rank that resumes from a state among such repeated batches continues
	// with the next epoch.
	Rank order.Rank
	// Rest chooses what happens to samples that cannot be shared evenly. By default, some samples come twice.
	Rest order.Rest
}

// Failures bound the failures of a run, and record them.
type Failures struct {
	// Max and MaxRate end the run when more samples fail: see MaxFailures and MaxFailureRate of pipe.Options. 0 means no
	// bound.
	Max     int
	MaxRate float64
	// Ledger, if not nil, records every failure.
	Ledger pipe.Ledger
}

// Stalls are what happens to samples that take long. A sample is opened, read and decoded in separate steps, which are
// the stages locate, fetch, measure and decode of a report. Waiting for memory, or for the consumer, is no part of a
// step.
type Stalls struct {
	// Deadline limits a step of a sample. Its context ends then, and the sample is bad: its class is ErrTimeout. Decoders
	// stop within milliseconds. A read that the system does not interrupt, as of a dead network file system, continues to
	// hold its worker. Samples of VideoOptions.Every and of audio without a Length have no deadline while they are
	// decoded, because the consumer delays them. 0 means no limit.
	Deadline time.Duration
	// Attempts is how often the steps that open and read a file are tried, if they pass the deadline or their error is
	// ErrIO. Stores repeat their requests in addition. Loaders of video, and of records with video, read a file once. 0
	// and 1 mean once.
	Attempts int
	// Watch reports samples that are in one step for longer than Watch.After. Report has those of the moment in Stuck.
	Watch pipe.Watch
}

// validate adds the problems of these settings.
func (s Stalls) validate(bad *invalid.Options) {
	notNegative(bad, "Stalls.Deadline", s.Deadline)
	notNegative(bad, "Stalls.Attempts", s.Attempts)
	notNegative(bad, "Stalls.Watch.After", s.Watch.After)
}

// retry returns which errors of reading a file are worth another attempt. The default pauses suit it.
func (s Stalls) retry() pipe.Retry {
	return pipe.Retry{Attempts: s.Attempts, If: func(err error) bool {
		_, late := errors.AsType[*pipe.TimeoutError](err)
		return late || spool.ClassOf(err) == spool.ErrIO
	}}
}

// watch returns the watch of a pipeline, without the stages that wait for memory or for the consumer.
func (s Stalls) watch() pipe.Watch {
	w := s.Watch
	if w.Tell != nil {
		w.Tell = func(x stats.Stuck) {
			if !waits(x) {
				s.Watch.Tell(x)
			}
		}
	}
	return w
}

// waits reports whether the item's stage waits for memory, so that it may be in work for any time.
func waits(s stats.Stuck) bool { return s.Stage == openStage || s.Stage == slotStage }

// Fetching bounds the files that a loader opens and reads before it decodes them.
type Fetching struct {
	// Files is how many files are opened, and as many read, concurrently. 0 means a few at first, and then up to 64 while
	// more raise the throughput. For a remote source 0 means 512, which is enough for 2,500 files a second at 200 ms each.
	// A store's client finds how many requests the store accepts at a time.
	Files int
	// Memory limits the bytes of files that are in memory or in flight and not decoded yet: files that are read whole, and
	// ranges of remote video. A file that needs more is processed alone. 0 means 256 MiB.
	Memory int64
}

// Caches keep decoded samples, so that they are not decoded again. They are lent until Close.
type Caches struct {
	// Memory, if not nil, keeps samples in memory.
	Memory *Cache
	// Disk, if not nil, keeps samples in a folder, and Memory is asked first. It serves later runs, and all processes that
	// decode the same files in the same way. An entry depends on the file's identity and on all settings that affect the
	// decoded sample. Samples without an identity (see spool.ObjectInfo) are decoded each time.
	Disk *cache.Folder
}

// Auto is the value of Options.Workers that tunes the number of workers while the loader runs.
const Auto = pipe.Auto

func (o *Options) setDefaults() {
	for _, x := range []struct {
		field *int
		value int
	}{{&o.Batch, 32}, {&o.Workers, cores.Count()}, {&o.Epochs, 1}, {&o.Prefetch, 2}} {
		if *x.field == 0 {
			*x.field = x.value
		}
	}
	o.Fetching.Memory = cmp.Or(o.Fetching.Memory, 256<<20)
}

// validate adds the problems of these options. drawn names the options that make samples differ between epochs.
func (o Options) validate(bad *invalid.Options, drawn ...string) {
	if o.Workers != Auto {
		notNegative(bad, "Workers", o.Workers)
	}
	notNegative(bad, "Batch", o.Batch)
	notNegative(bad, "Epochs", o.Epochs)
	notNegative(bad, "First", o.First)
	notNegative(bad, "Limit", o.Limit)
	notNegative(bad, "Prefetch", o.Prefetch)
	notNegative(bad, "Fetching.Files", o.Fetching.Files)
	notNegative(bad, "Fetching.Memory", o.Fetching.Memory)
	notNegative(bad, "Failures.Max", o.Failures.Max)
	o.Stalls.validate(bad)
	if !(o.CPUShare >= 0 && o.CPUShare <= 1) {
		bad.Value("CPUShare", o.CPUShare, "must be from 0 to 1")
	}
	if !(o.Failures.MaxRate >= 0 && o.Failures.MaxRate < 1) {
		bad.Value("Failures.MaxRate", o.Failures.MaxRate, "must be at least 0 and less than 1")
	}
	if o.Order > batch.Any {
		bad.Value("Order", uint8(o.Order), "no such order")
	}
	if o.Last > batch.Pad {
		bad.Value("Last", uint8(o.Last), "no such policy")
	}
	if o.OnError > Placeholder {
		bad.Value("OnError", uint8(o.OnError), "no such policy")
	}
	if o.Shuffle && o.Sampler != nil {
		samplerOrders(bad)
	}
	o.Sharing.validate(bad, "Sharing.")
	if caches := o.caches(); len(caches) > 0 && len(drawn) > 0 {
		bad.Excludes(caches, invalid.Named(drawn...), "each epoch has other pixels")
	}
	if o.Order == batch.Any && len(o.Resume) > 0 {
		bad.Needs(invalid.Named("Resume"), invalid.With("Order", "batch.Exact"), "")
	}
	if o.First > 0 && len(o.Resume) > 0 {
		bad.Excludes(invalid.Named("First"), invalid.Named("Resume"), "the state has the epoch")
	}
}

// caches returns the caches of samples that are set.
func (o Options) caches() (set []spool.Option) {
	if o.Caches.Memory != nil {
		set = append(set, spool.Option{Name: "Caches.Memory"})
	}
	if o.Caches.Disk != nil {
		set = append(set, spool.Option{Name: "Caches.Disk"})
	}
	return set
}

// notNegative adds an option with a value below 0.
func notNegative[N ~int | ~int64](bad *invalid.Options, name string, value N) {
	if value < 0 {
		bad.Value(name, value, "must not be negative")
	}
}

// samplerOrders adds that Sampler and Shuffle are both set.
func samplerOrders(bad *invalid.Options) {
	bad.Excludes(invalid.Named("Sampler"), invalid.Named("Shuffle"), "the sampler sets the order")
}

// validate adds the problems of a share. within leads to its fields.
func (s Sharing) validate(bad *invalid.Options, within string) {
	if s.Rank.Validate() != nil {
		bad.Value(within+"Rank", fmt.Sprintf("%d of %d", s.Rank.Index, s.Rank.World), "ranks count from 0")
	}
	if s.Rest > order.Uneven {
		bad.Value(within+"Rest", uint8(s.Rest), "no such policy")
	}
}

// needsSize adds that the images or frames of a batch have no common size.
func needsSize(bad *invalid.Options, s resize.Spec) {
	if s.Shorter > 0 || s.MaxSize > 0 {
		name := "Spec.Resize.Shorter"
		if s.Shorter == 0 {
			name = "Spec.Resize.MaxSize"
		}
		bad.Needs(invalid.Named(name), invalid.Named("CropWidth", "CropHeight"),
			"the samples of a batch have one size")
		return
	}
	bad.Addf("the samples of a batch need one size: set Spec.Resize.Width and Height, or CropWidth and CropHeight")
}

// checkStream returns the errors of options that a streamed source does not allow.
func (o Options) checkStream() error {
	var bad invalid.Options
	for _, x := range []struct {
		given bool
		what  string
	}{
		{o.Shuffle || o.Sampler != nil, "shuffling and samplers need all names in advance"},
		{o.Epochs > 1, "only one epoch is possible"},
		{o.Sharing.Rank.World > 1, "only one rank is possible, because the number of samples is unknown"},
		{o.Caches.Memory != nil, "a cache has no effect, because no sample comes twice"},
	} {
		if x.given {
			bad.Addf("streamed source: %s", x.what)
		}
	}
	return bad.Err()
}

// failurePolicy converts OnError to the type of package pipe.
func (o Options) failurePolicy() pipe.Policy {
	if o.OnError == Fail {
		return pipe.Fail
	}
	return pipe.Skip
}

// asCompleted reports whether samples are passed on as they are done.
func (o Options) asCompleted() bool { return o.Order == batch.Any }

const (
	localFetchers  = 64  // maximum for local files
	remoteFetchers = 512 // for remote files
	fetchQueue     = 64  // samples that wait for an earlier one, in addition to those in flight
	slotQueue      = 12  // samples with a slot that wait for a decoder: with 4, two decoders wait 4 % of the time

	// openersOfFetcher is how many local files are opened at a time at first, for each that is read: opening needs no
	// memory, and takes milliseconds on a network file system.
	openersOfFetcher = 4

	localQueueBytes = 2 << 20 // bytes of local files that wait for a slot, and as many for a decoder
)

// stageSettings returns the settings of the stages that locate, fetch and decode. Workers that fetch remote files only
// wait, so their number is fixed, and only that for local files is tuned. Local files arrive soon, so few of them wait
// with their bytes.
func (o Options) stageSettings(m mediumSpec, remote bool) (locate, fetch, decode pipe.Stage) {
	locate = pipe.Stage{Workers: o.Fetching.Files, AsCompleted: o.asCompleted(), Queue: fetchQueue,
		Timeout: o.Stalls.Deadline, Retry: o.Stalls.retry()}
	switch {
	case remote:
		locate.Workers = cmp.Or(o.Fetching.Files, remoteFetchers)
	case o.Fetching.Files == 0:
		locate.Workers, locate.MinWorkers, locate.MaxWorkers = Auto, m.fetchers, localFetchers
	}
	fetch = locate
	if !remote {
		fetch.Queue, fetch.QueueBytes = 2*cmp.Or(o.Fetching.Files, m.fetchers), localQueueBytes
		locate.MinWorkers *= openersOfFetcher // 0 if the number is given
	}
	if m.fetchRanges != nil {
		fetch.Retry = pipe.Retry{}
	}
	decode = pipe.Stage{Workers: o.Workers, AsCompleted: o.asCompleted(), Timeout: o.Stalls.Deadline}
	if m.chunks != nil {
		decode.Timeout = 0
	}
	if !remote && o.Workers != Auto {
		decode.FirstWorkers = m.firstWorkers
	}
	if o.Workers == Auto {
		decode.MinWorkers, decode.MaxWorkers = m.cores, 4*m.cores
		if o.CPUShare > 0 {
			decode.MinWorkers = int(math.Ceil(o.CPUShare * float64(m.cores)))
		}
	}
	decode.Queue = m.ahead(max(decode.Workers, decode.MinWorkers))
	return locate, fetch, decode
}

// slabCount returns the largest number of batches at a time. It counts one that the consumer holds, those that wait for
// it, those that the samples with a slot span, and the spare slabs.
func (l *Loader) slabCount() int {
	o := l.options
	_, _, decode := o.stageSettings(l.mediumSpec, l.openLimit != nil)
	placed := max(decode.Workers, decode.MaxWorkers) + decode.Queue + slotQueue + 2
	return 1 + o.Prefetch + (placed+o.Batch-1)/o.Batch + 1 + o.spareSlabs()
}

// spareSlabs returns how many batches are kept for repetition on ranks that lack batches.
func (o Options) spareSlabs() int {
	if o.Sharing.Rank.World > 1 {
		return 1
	}
	return 0
}

// slabMemory returns the ceiling for batches of one size.
func (l *Loader) slabMemory() int64 {
	return int64(l.slabCount()) * slabCeiling(batch.SlabBytes(l.mediumSpec.arrays(), l.options.Batch))
}

// slabCeiling returns the memory for a slab, including the overhead of the pool's size classes.
func slabCeiling(bytes int) int64 { return int64(bytes)*5/4 + 1<<14 }

// fileMemory returns the memory for the largest allowed file: a quarter more, for the pool's size classes, and a page.
func fileMemory(largest int64) int64 {
	return largest + min(largest/4+1<<12, math.MaxInt64-largest)
}

// rangeMemory returns the memory for a remote file that is read in ranges: the size of the file, a quarter more for the
// pool's size classes, and some blocks for unplanned reads. It is at most remoteHold.
func rangeMemory(size int64) int64 { return min(size+min(size/4, remoteHold)+remoteSpare, remoteHold) }
