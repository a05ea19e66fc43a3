package loader

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// DataLoaderOptions are those options of PyTorch's DataLoader that make sense for goroutines. Zero values mean
// PyTorch's defaults, except for NumWorkers.
type DataLoaderOptions struct {
	// BatchSize is the number of samples per batch. 0 means 1.
	BatchSize int
	// Shuffle permutes the samples of each epoch differently, with random numbers from Seed. Sampler replaces Shuffle: see
	// Options.Sampler.
	Shuffle bool
	Sampler func(epoch uint64) order.Sampler
	// NumWorkers is how many goroutines call Get concurrently. 0 means one per core. PyTorch's 0, to load within the loop
	// itself, has no use here: goroutines share memory and start in microseconds. With Auto the number is tuned
	// automatically.
	NumWorkers int
	// DropLast omits a last batch that is not full.
	DropLast bool
	// PrefetchFactor is how many batches are collated concurrently, ahead of the loop. The samples of a few more batches
	// are being loaded meanwhile. It is a total: all workers load the same batch, whereas each PyTorch worker loads its
	// own. 0 means 2.
	PrefetchFactor int
	// Timeout limits the time of one call of Get. When it passes, the call's context ends, and the sample fails. 0 means
	// no limit.
	Timeout time.Duration
	// Seed is the seed of the order and of Rand.
	Seed uint64
	// AnyOrder delivers samples in the order in which they are loaded, not listed: in_order=False in PyTorch.
	AnyOrder bool

	// Epochs is the number of epochs. 0 means 1.
	Epochs int
	// Skip omits failed samples, and the next sample takes their place. Without Skip, a failure ends the loop with its
	// error. Ledger, if not nil, records every failure. If all samples are skipped, only the ledger shows it.
	Skip   bool
	Ledger pipe.Ledger
	// Rank and Rest choose the share of one of several processes, like PyTorch's DistributedSampler: see Sharing.
	// Ranks that skip samples may have fewer batches than others.
	Rank order.Rank
	Rest order.Rest
	// Resume continues where a loader stopped: see State.
	Resume []State
}

// options converts to the options of other loaders.
func (o DataLoaderOptions) options() Options {
	with := Options{Batch: cmp.Or(o.BatchSize, 1), Workers: o.NumWorkers, Epochs: o.Epochs, Shuffle: o.Shuffle,
		Sampler: o.Sampler, Seed: o.Seed,
		Sharing: Sharing{Rank: o.Rank, Rest: o.Rest}, Resume: o.Resume, Prefetch: o.PrefetchFactor}
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

// Validate reports all invalid options, each as a *spool.OptionError.
func (o DataLoaderOptions) Validate() error {
	var bad invalid.Options
	if o.NumWorkers != Auto {
		notNegative(&bad, "NumWorkers", o.NumWorkers)
	}
	notNegative(&bad, "BatchSize", o.BatchSize)
	notNegative(&bad, "PrefetchFactor", o.PrefetchFactor)
	notNegative(&bad, "Epochs", o.Epochs)
	notNegative(&bad, "Timeout", o.Timeout)
	if o.Shuffle && o.Sampler != nil {
		samplerOrders(&bad)
	}
	Sharing{Rank: o.Rank, Rest: o.Rest}.validate(&bad, "")
	if o.AnyOrder && len(o.Resume) > 0 {
		bad.Excludes(invalid.Named("AnyOrder"), invalid.Named("Resume"), "states have an order")
	}
	return bad.Err()
}

// DataLoader loads batches of the samples of a [Dataset], like PyTorch's DataLoader:
//
//	dl, err := loader.NewDataLoader(dataset, loader.DataLoaderOptions{BatchSize: 32, Shuffle: true, Epochs: 10})
//	...
//	for epoch, batches := range dl.Epochs(ctx) {
//		for samples, err := range batches {
//			...
//		}
//	}
//
// It is a pipeline of package pipe with the stages list, get, batch and collate, as a program would build it by hand.
// It has the same order, ranks and states as the loaders [Images], [Videos] and [Audio]. Use those for images, video
// and audio, because they decode directly into the memory of the batch. Workers start the next epoch while the last
// samples of an epoch are being loaded. A panic of Get is a failure of its sample.
//
// The loader releases samples and batches that the loop does not receive, if they have a method Release. The loop owns
// those that it receives.
type DataLoader[B any] struct {
	schedule *schedule
	pipeline *pipe.Pipeline
	batches  *pipe.Flow[*collated[B]]
}

// listed is a sample to be loaded.
type listed struct{ pick }

// ID returns the sample's id in the form of the ledger.
func (l listed) ID() string { return strconv.Itoa(l.index) }

// loaded is a loaded sample in flight.
type loaded[T any] struct {
	listed
	value T
}

// Release releases the sample.
func (l *loaded[T]) Release() { release(l.value) }

// collated is a batch in flight.
type collated[B any] struct {
	value   B
	samples int
	place   int // of the last sample
	drop    func(B)
}

// Release releases the batch.
func (c *collated[B]) Release() { c.drop(c.value) }

// release releases a value that has a method Release.
func release[T any](value T) {
	if r, ok := any(value).(interface{ Release() }); ok {
		r.Release()
	}
}

// NewDataLoader returns a loader whose batches are slices of samples. The dataset is lent until the loop ends. Errors
// are spool.ErrOptions with all invalid options, or spool.ErrEmpty for a dataset without samples.
func NewDataLoader[T any](dataset Dataset[T], o DataLoaderOptions) (*DataLoader[[]T], error) {
	list := func(_ context.Context, samples []T) ([]T, error) { return samples, nil }
	return newDataLoader(dataset, o, list, func(samples []T) {
		for _, s := range samples {
			release(s)
		}
	})
}

// NewDataLoaderCollate returns a loader whose batches are the results of collate, which is PyTorch's collate_fn. Up to
// PrefetchFactor goroutines call collate concurrently. If it succeeds, it owns the samples. If it fails, the loader
// still owns them, and the whole batch fails.
func NewDataLoaderCollate[T, B any](dataset Dataset[T], collate func(context.Context, []T) (B, error),
	o DataLoaderOptions) (*DataLoader[B], error) {
	return newDataLoader(dataset, o, collate, release[B])
}

func newDataLoader[T, B any](dataset Dataset[T], o DataLoaderOptions, collate func(context.Context, []T) (B, error),
	drop func(B)) (*DataLoader[B], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	with := o.options()
	with.setDefaults()
	c, err := newSchedule(with, dataset.Len(), "", "", with.Batch)
	if err != nil {
		return nil, err
	}
	if c.begin.Samples == 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "no samples"}
	}
	p := pipe.New(pipe.Options{OnFailure: with.failurePolicy(), Ledger: o.Ledger, Describe: Describe})
	first := int(c.begin.State.Epoch)
	list := pipe.FromEpochs(p, "list", pipe.Stage{}, max(1, with.Epochs-first),
		func(_ context.Context, n int) iter.Seq2[listed, error] {
			return func(yield func(listed, error) bool) {
				epoch := first + n
				if epoch >= with.Epochs { // the resumed state is the end of the last epoch
					return
				}
				for p := range c.samples(epoch) {
					if !yield(listed{p}, nil) {
						return
					}
				}
			}
		})
	samples := pipe.Map(list, "get",
		pipe.Stage{Workers: with.Workers, AsCompleted: with.asCompleted(), Timeout: o.Timeout},
		func(ctx context.Context, s listed) (*loaded[T], error) {
			value, err := dataset.Get(context.WithValue(ctx, drawKey{}, s.drawn(o.Seed, int64(s.index))), s.index)
			if err != nil {
				return nil, err
			}
			return &loaded[T]{s, value}, nil
		})
	full := pipe.BatchBy(samples, "batch", pipe.Stage{Queue: 1},
		pipe.BatchOptions[*loaded[T]]{Count: with.Batch, DropLast: o.DropLast})
	batches := pipe.Map(full, "collate", pipe.Stage{Workers: with.Prefetch, AsCompleted: with.asCompleted(), Queue: 1},
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
	return &DataLoader[B]{schedule: c, pipeline: p, batches: batches}, nil
}

// Len returns the number of batches in a whole epoch, like len of PyTorch's DataLoader.
func (d *DataLoader[B]) Len() int { return d.schedule.batches(d.schedule.size(order.State{}).Len()) }

// Epochs runs the loader: it yields epochs, and for each epoch a sequence of its batches. The loop's body owns the
// batches. If the body breaks out of an inner loop, the rest of that epoch is released when the outer loop continues.
// Epochs works once. An error comes last, in the inner loop: a *pipe.Failure with the error of Get or collate, or the
// cause of ctx's end.
func (d *DataLoader[B]) Epochs(ctx context.Context) iter.Seq2[int, iter.Seq2[B, error]] {
	return func(yield func(int, iter.Seq2[B, error]) bool) {
		epoch := int(d.schedule.begin.State.Epoch)
		for _, batches := range d.batches.Epochs(ctx) {
			if !yield(epoch, d.deliver(epoch, batches)) {
				return
			}
			epoch++
		}
	}
}

// Batches runs the loader as one loop over the batches of all epochs. It works once.
func (d *DataLoader[B]) Batches(ctx context.Context) iter.Seq2[B, error] {
	return flat(d.Epochs(ctx))
}

// deliver counts the batches that the loop receives.
func (d *DataLoader[B]) deliver(epoch int, batches iter.Seq2[*collated[B], error]) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for c, err := range batches {
			var value B
			if err == nil {
				d.schedule.delivered(epoch, c.samples, c.place+1, nil, "")
				value = c.value
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// State returns the loader's position after the batch that the loop received last. It may be called concurrently, at
// any time. The error is spool.ErrOptions with AnyOrder, which has no states.
func (d *DataLoader[B]) State() (State, error) {
	if d.schedule.options.Order == batch.Any {
		return State{}, invalid.Errorf("a state needs samples in order: AnyOrder has none")
	}
	return d.schedule.now(), nil
}

// Report returns what each stage has done so far, and which stage is the bottleneck. It may be called concurrently, at
// any time.
func (d *DataLoader[B]) Report() stats.Report { return d.pipeline.Report() }
