package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
)

// DataLoaderOptions are those of PyTorch's DataLoader, as far as they mean something for goroutines. What a zero value
// means is PyTorch's default, but for NumWorkers.
type DataLoaderOptions struct {
	// BatchSize is the number of samples a batch. 0 means 1.
	BatchSize int
	// Shuffle takes the samples of each epoch in an order of its own, drawn from Seed. Sampler, in place of it, says which
	// come: see Options.Sampler.
	Shuffle bool
	Sampler func(epoch uint64) order.Sampler
	// NumWorkers is how many goroutines call Get at a time. 0 means one a core: goroutines share memory and start in
	// microseconds, so that loading within the loop itself, which 0 is in PyTorch, has no use. Auto has the number found.
	NumWorkers int
	// DropLast leaves out a last batch that is not full.
	DropLast bool
	// PrefetchFactor is how many batches are made up ahead of the loop, side by side; the samples of a few more are on
	// their way. It is a number in all: the workers load one batch together, where each of PyTorch's loads its own. 0 means 2.
	PrefetchFactor int
	// Timeout is how long one call of Get may take: its context ends then, and the sample has failed. 0 sets no limit.
	Timeout time.Duration
	// Seed is what the order, and Rand, are drawn from.
	Seed uint64
	// AnyOrder gives samples as they are done, and not as they were listed: in_order=False.
	AnyOrder bool

	// Epochs is how often the samples are gone through. 0 means once.
	Epochs int
	// Skip leaves out a sample that fails, and goes on with the next one in its place. By default a failure ends the loop with
	// its error. Ledger takes every failure, if not nil: where all are skipped, it alone says so.
	Skip   bool
	Ledger pipe.Ledger
	// Rank and Rest are the share of one of several processes, as DistributedSampler's: see Options.Rank. Ranks that
	// skip samples may have fewer batches than others.
	Rank order.Rank
	Rest order.Rest
	// Resume goes on where a loader has stopped: see State.
	Resume []State
}

// options are the same in the words of other loaders.
func (o DataLoaderOptions) options() Options {
	with := Options{Batch: cmp.Or(o.BatchSize, 1), Workers: o.NumWorkers, Epochs: o.Epochs, Shuffle: o.Shuffle, Sampler: o.Sampler, Seed: o.Seed,
		Rank: o.Rank, Rest: o.Rest, Resume: o.Resume, Ledger: o.Ledger, Prefetch: o.PrefetchFactor}
	if o.AnyOrder {
		with.Order = batch.Any
	}
	if o.DropLast {
		with.Last = batch.Drop
	}
	if !o.Skip {
		with.OnError = Fail
	}
	return with
}

// Validate reports all that is wrong with the options, as spool.ErrOptions.
func (o DataLoaderOptions) Validate() error {
	var p problems
	o.options().check(&p, false, false)
	if o.Timeout < 0 {
		p.add("timeout %v is negative", o.Timeout)
	}
	return errors.Join(p...)
}

// DataLoader gives batches of the samples of a [Dataset], as PyTorch's DataLoader does:
//
//	dl, err := loader.NewDataLoader(dataset, loader.DataLoaderOptions{BatchSize: 32, Shuffle: true, Epochs: 10})
//	...
//	for epoch, batches := range dl.Epochs(ctx) {
//		for samples, err := range batches {
//			...
//		}
//	}
//
// It is a pipeline of package pipe whose stages (list, get, batch, collate) are those that one would put together by hand,
// with the order, the ranks and the states of [Images] and its like, which pictures, video and sound are better loaded by: they
// decode into the memory of the batch. Workers are at the next epoch while the last samples of one are on their way. A
// panic of Get is its sample's failure.
//
// Samples and batches that have a method Release are released when the loop does not get them; those that it gets are its own.
type DataLoader[B any] struct {
	course   *course
	pipeline *pipe.Pipeline
	batches  *pipe.Flow[*collated[B]]
}

// listed is a sample that is to be loaded.
type listed struct{ pick }

// ID is the sample's number, as the ledger names it.
func (l listed) ID() string { return strconv.Itoa(l.index) }

// loaded is a sample on its way.
type loaded[T any] struct {
	listed
	value T
}

// Release gives up the sample.
func (l *loaded[T]) Release() { release(l.value) }

// collated is a batch on its way.
type collated[B any] struct {
	value   B
	samples int
	place   int // of the last one
	drop    func(B)
}

// Release gives up the batch.
func (c *collated[B]) Release() { c.drop(c.value) }

// release gives up what a value holds.
func release[T any](value T) {
	if r, ok := any(value).(interface{ Release() }); ok {
		r.Release()
	}
}

// NewDataLoader makes a loader whose batches are slices of samples. The dataset is lent until the loop has ended. The
// error is spool.ErrOptions with all that is wrong, or spool.ErrEmpty for a dataset without samples.
func NewDataLoader[T any](dataset Dataset[T], o DataLoaderOptions) (*DataLoader[[]T], error) {
	list := func(_ context.Context, samples []T) ([]T, error) { return samples, nil }
	return newDataLoader(dataset, o, list, func(samples []T) {
		for _, s := range samples {
			release(s)
		}
	})
}

// NewDataLoaderCollate makes a loader whose batches are what collate, PyTorch's collate_fn, makes of slices of samples. It is
// called by up to PrefetchFactor goroutines at a time. When it succeeds the samples are its own; when it fails they are
// still the loader's, and the whole batch has failed.
func NewDataLoaderCollate[T, B any](dataset Dataset[T], collate func(context.Context, []T) (B, error), o DataLoaderOptions) (*DataLoader[B], error) {
	return newDataLoader(dataset, o, collate, release[B])
}

func newDataLoader[T, B any](dataset Dataset[T], o DataLoaderOptions, collate func(context.Context, []T) (B, error), drop func(B)) (*DataLoader[B], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	with := o.options()
	with.setDefaults()
	c, err := newCourse(with, dataset.Len(), with.Batch)
	if err != nil {
		return nil, err
	}
	if c.begin.Samples == 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no samples"}
	}
	p := pipe.New(pipe.Options{OnFailure: with.failurePolicy(), Ledger: o.Ledger, Describe: Describe})
	first := int(c.begin.State.Epoch)
	list := pipe.FromEpochs(p, "list", pipe.Stage{}, max(1, with.Epochs-first), func(_ context.Context, n int) iter.Seq2[listed, error] {
		return func(yield func(listed, error) bool) {
			epoch := first + n
			if epoch >= with.Epochs { // nothing is left of what it resumes
				return
			}
			for p := range c.samples(epoch) {
				if !yield(listed{p}, nil) {
					return
				}
			}
		}
	})
	samples := pipe.Map(list, "get", pipe.Stage{Workers: with.Workers, Order: with.stageOrder(), Timeout: o.Timeout}, func(ctx context.Context, s listed) (*loaded[T], error) {
		value, err := dataset.Get(context.WithValue(ctx, drawKey{}, s.drawn(o.Seed, int64(s.index))), s.index)
		if err != nil {
			return nil, err
		}
		return &loaded[T]{s, value}, nil
	})
	full := pipe.BatchBy(samples, "batch", pipe.Stage{Queue: 1}, pipe.Batching[*loaded[T]]{Count: with.Batch, DropLast: o.DropLast})
	batches := pipe.Map(full, "collate", pipe.Stage{Workers: with.Prefetch, Order: with.stageOrder(), Queue: 1},
		func(ctx context.Context, all []*loaded[T]) (*collated[B], error) {
			values := make([]T, len(all))
			for i, s := range all {
				values[i] = s.value
			}
			value, err := collate(ctx, values)
			if err != nil {
				return nil, fmt.Errorf("a batch that begins with sample %d: %w", all[0].index, err)
			}
			return &collated[B]{value, len(all), all[len(all)-1].place, drop}, nil
		})
	return &DataLoader[B]{course: c, pipeline: p, batches: batches}, nil
}

// Len is how many batches a whole epoch has, as len of PyTorch's is.
func (d *DataLoader[B]) Len() int { return d.course.batches(d.course.size(order.State{}).Len()) }

// Epochs runs the loader: a loop over its epochs, and within it one over the batches of each, which the inner loop's body
// owns. What a broken inner loop leaves of an epoch is given up when the outer one goes on. It works once. An error comes
// last, in the inner loop: a *pipe.Failure with the error of Get or collate, or the cause of ctx's end.
func (d *DataLoader[B]) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[B, error]] {
	return func(yield func(int, iter.Seq2[B, error]) bool) {
		epoch := int(d.course.begin.State.Epoch)
		for _, batches := range d.batches.Epochs(ctx) {
			if !yield(epoch, d.deliver(epoch, batches)) {
				return
			}
			epoch++
		}
	}
}

// Batches is Epochs in one loop, as other loaders have it.
func (d *DataLoader[B]) Batches(ctx context.Context) iter.Seq2[B, error] {
	return flat(d.Epochs(ctx))
}

// deliver counts what the loop takes.
func (d *DataLoader[B]) deliver(epoch int, batches iter.Seq2[*collated[B], error]) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for c, err := range batches {
			var value B
			if err == nil {
				d.course.delivered(epoch, c.samples, c.place, "")
				value = c.value
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// State is how far the loader has come: the batch that the loop got last, and all before it, will not come again. It may be
// called at any time. The error is spool.ErrOptions for samples in any order, which have none.
func (d *DataLoader[B]) State() (State, error) {
	if d.course.options.Order == batch.Any {
		return State{}, fmt.Errorf("%w: a state needs samples in their order", spool.ErrOptions)
	}
	return d.course.now(), nil
}

// Report is what each stage has done so far and which one limits. It may be called at any time.
func (d *DataLoader[B]) Report() pipe.Report { return d.pipeline.Report() }
