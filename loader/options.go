package loader

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source/cache"
)

// Options are the settings that loaders of all media have: they are part of ImageOptions, VideoOptions and AudioOptions.
type Options struct {
	// Batch is the number of samples a batch. 0 means 32.
	Batch int
	// Workers is how many samples are decoded at a time. 0 means one a core. Auto begins with as many, within CPUShare,
	// and while it runs finds out whether more bring more.
	Workers int
	// Fetchers is how many files are opened, and as many read, at a time. 0 means a few to begin with, and while the
	// loader runs as many as bring more, up to 64; of a source that is Remote it means 512: as many as are on their
	// way at 2,500 files a second and 200 ms each. What a store takes at a time is its client's to find.
	Fetchers int
	// Ahead is how many bytes of files may be held, or be on their way, that are not decoded yet. A file that has more comes
	// alone. 0 means 256 MiB.
	Ahead int64
	// CPUShare bounds the CPU time of this process, above 0 and at most 1: see pipe.Options. 0 sets no limit.
	CPUShare float64
	// Epochs is how often the source is gone through. 0 means once.
	Epochs int
	// First is the epoch to begin with, counted among Epochs: what comes is what a loader that began with 0 would give then.
	First int
	// Shuffle takes the samples of each epoch in an order of its own, drawn from Seed.
	Shuffle bool
	// Sampler, if not nil, says in place of Shuffle which samples come, by their positions in the source: it is asked for each
	// epoch, gives as many for all of them, and may be called from several goroutines. Package order has weighted and balanced
	// ones, buckets, shards and mixtures. An id that comes several times in an epoch is drawn anew each time: see order.Counted.
	Sampler func(epoch uint64) order.Sampler
	// Seed is what the order, and all else that is random, are drawn from.
	Seed uint64
	// Limit is how many samples of each epoch are taken, the first in its order. 0 means all.
	Limit int
	// Rank is the share of several processes that go through the source together, each with a loader of its own and
	// otherwise the same options: they take turns of a batch. The zero value takes everything; see order.RankFrom. Each rank
	// has the same number of batches, also where it meets bad samples: what it lacks at an epoch's end is made up for by its last
	// batch again, as padding. (Not where each file is a batch, or several; and a rank that goes on from a state among such
	// batches goes on with the next epoch.)
	Rank order.Rank
	// Rest says what becomes of samples that cannot be shared out evenly. By default some come twice.
	Rest order.Rest
	// Resume goes on where a loader has stopped: see State.
	Resume []State
	// Order says whether samples come out in input order; Last what becomes of a short last batch.
	Order batch.Order
	Last  batch.Last
	// OnError says what a bad sample means.
	OnError Policy
	// MaxFailures and MaxFailureRate end the run when more samples fail; see pipe.Options.
	MaxFailures    int
	MaxFailureRate float64
	// Ledger takes every failure, if not nil.
	Ledger pipe.Ledger
	// Limits bound what one file may cost.
	Limits decode.Limits
	// Prefetch is how many finished batches may wait for the consumer. 0 means 2.
	Prefetch int
	// Allocator is where the memory of batches whose samples have one size comes from: transfer's, to have it pinned. nil
	// means the pool's own.
	Allocator spool.Allocator
	// Cache, if not nil, keeps decoded samples, which are not decoded again. It is lent until Close.
	Cache *Cache
	// Disk, if not nil, keeps decoded samples in a folder, below Cache: over runs, and for all processes that decode the same files
	// alike. A sample is of a file as it is now, and of all settings that decide its pixels or sound; samples of which
	// the source does not tell that (see spool.ObjectInfo) are decoded each time. It is lent until Close.
	Disk *cache.Folder
	// Headspace shows what a loader would give that costs nothing: Batches decodes Prefetch + 1 batches, stops, and gives
	// these again and again, as many in all as without it, numbered alike. The difference in a training loop's time is all
	// that can be won by faster loading. The batches share their memory, which is to be read only; there is no State.
	Headspace bool
}

// Auto as Options.Workers has the numbers of workers found while the loader runs.
const Auto = pipe.Auto

func (o *Options) setDefaults() {
	for _, x := range []struct {
		field *int
		value int
	}{{&o.Batch, 32}, {&o.Workers, runtime.NumCPU()}, {&o.Epochs, 1}, {&o.Prefetch, 2}} {
		if *x.field == 0 {
			*x.field = x.value
		}
	}
	o.Ahead = cmp.Or(o.Ahead, 256<<20)
}

// problems are what is wrong with options, each as spool.ErrOptions.
type problems []error

func (p *problems) add(format string, args ...any) {
	*p = append(*p, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
}

// check adds what is wrong with the options of a loader whose samples have slots, or not, and are drawn anew for each
// epoch, or not.
func (o Options) check(p *problems, slots, drawn bool) {
	for _, x := range []struct {
		name  string
		value int
	}{{"batch", o.Batch}, {"workers", o.Workers}, {"epochs", o.Epochs}, {"first epoch", o.First}, {"limit", o.Limit}, {"prefetch", o.Prefetch}, {"fetchers", o.Fetchers}, {"max failures", o.MaxFailures}} {
		if x.value < 0 && (x.name != "workers" || x.value != Auto) {
			p.add("%s %d is negative", x.name, x.value)
		}
	}
	if o.Ahead < 0 {
		p.add("%d bytes of files ahead is negative", o.Ahead)
	}
	if !(o.CPUShare >= 0 && o.CPUShare <= 1) {
		p.add("a CPU share of %v is not in [0, 1]", o.CPUShare)
	}
	if !(o.MaxFailureRate >= 0 && o.MaxFailureRate < 1) {
		p.add("max failure rate %v is not in [0, 1)", o.MaxFailureRate)
	}
	if o.Order > batch.Any {
		p.add("order %d", o.Order)
	}
	if o.Last > batch.Pad {
		p.add("last-batch policy %d", o.Last)
	}
	if o.OnError > Placeholder {
		p.add("error policy %d", o.OnError)
	}
	if err := o.Rank.Validate(); err != nil {
		p.add("rank %d of %d", o.Rank.Index, o.Rank.World)
	}
	if o.Rest > order.Uneven {
		p.add("no such rest of a split: %d", o.Rest)
	}
	if o.Shuffle && o.Sampler != nil {
		p.add("a sampler of one's own and shuffling exclude each other")
	}
	if !slots && (o.Cache != nil || o.Disk != nil || o.Headspace) {
		p.add("a cache, and headspace, need samples of one size")
	}
	if drawn && (o.Cache != nil || o.Disk != nil) {
		p.add("what is drawn for each epoch cannot be kept in a cache")
	}
	if o.Order == batch.Any && len(o.Resume) > 0 {
		p.add("going on from a state needs batches in exact order")
	}
	if o.First > 0 && len(o.Resume) > 0 {
		p.add("a first epoch and a state to go on from exclude each other")
	}
}

// checkStream says what is wrong with the options of a loader whose samples come as they are listed.
func (o Options) checkStream() error {
	var p problems
	for _, x := range []struct {
		given bool
		what  string
	}{
		{o.Shuffle || o.Sampler != nil, "shuffling, and samplers, need all names to be known"}, {o.Epochs > 1, "there is one epoch"},
		{o.Rank.World > 1, "there is one rank, since nobody knows how many samples there are to share"},
		{o.Cache != nil, "no sample comes twice, for a cache to give it again"}, {o.Headspace, "there is no headspace, since nobody knows how many batches there would be"},
	} {
		if x.given {
			p.add("of a stream %s", x.what)
		}
	}
	return errors.Join(p...)
}

// failurePolicy and stageOrder are pipe's words for OnError and Order.
func (o Options) failurePolicy() pipe.Policy {
	if o.OnError == Fail {
		return pipe.Fail
	}
	return pipe.Skip
}

func (o Options) stageOrder() pipe.Order {
	if o.Order == batch.Any {
		return pipe.AsCompleted
	}
	return pipe.Ordered
}

const (
	nearFetchers = 64  // at most, of files on this machine
	farFetchers  = 512 // of those far away
	fetchQueue   = 64  // samples that wait for one in front of them, beside those on their way
)

// crews are the settings of the stages that locate, fetch and decode. Who reads from afar only waits: how many do so
// is not found out, as it is of files on this machine. Of these few wait with their bytes, as they are there soon.
func (o Options) crews(m medium, far bool) (locate, fetch, decode pipe.Stage) {
	locate = pipe.Stage{Workers: o.Fetchers, Order: o.stageOrder(), Queue: fetchQueue}
	switch {
	case far:
		locate.Workers = cmp.Or(o.Fetchers, farFetchers)
	case o.Fetchers == 0:
		locate.Workers, locate.MinWorkers, locate.MaxWorkers = Auto, m.fetchers, nearFetchers
	}
	fetch = locate
	if !far {
		fetch.Queue = 2 * cmp.Or(o.Fetchers, m.fetchers)
	}
	decode = pipe.Stage{Workers: o.Workers, Order: o.stageOrder()}
	if o.Workers == Auto {
		cores := runtime.NumCPU()
		decode.MinWorkers, decode.MaxWorkers = cores, 4*cores
		if o.CPUShare > 0 {
			decode.MinWorkers = int(math.Ceil(o.CPUShare * float64(cores)))
		}
	}
	decode.Queue = m.ahead(max(decode.Workers, decode.MinWorkers))
	return locate, fetch, decode
}

// slabCount is how many batches there may be at a time: one that the consumer holds, those that wait for
// it, and those that the samples with a slot span, begun and not complete.
func (l *Loader) slabCount() int {
	o := l.options
	_, _, decode := o.crews(l.medium, l.far != nil)
	placed := max(decode.Workers, decode.MaxWorkers) + decode.Queue + 8
	return 1 + o.Prefetch + (placed+o.Batch-1)/o.Batch + 1 + o.spareSlabs()
}

// spareSlabs is how many batches are kept to make up for bad samples with.
func (o Options) spareSlabs() int {
	if o.Rank.World > 1 {
		return 1
	}
	return 0
}

// slabMemory is the ceiling for batches, with what the pool's classes may add.
func (l *Loader) slabMemory() int64 {
	n, _ := l.medium.sample.Bytes()
	return int64(l.slabCount()) * (int64(l.options.Batch+1)*int64(n)*5/4 + 1<<14)
}

// fileMemory is the ceiling for compressed bytes: room for the largest file allowed, of which a pool
// makes up to a quarter more.
func fileMemory(largest int64) int64 {
	const least, most = 1 << 30, math.MaxInt64
	return max(least, largest+min(largest/4, most-largest))
}
