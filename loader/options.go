package loader

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Policy says what a bad sample means.
type Policy uint8

const (
	Skip        Policy = iota // it goes to the ledger, and the next sample takes its slot
	Fail                      // it ends the run
	Placeholder               // it goes to the ledger, and its slot is filled with Spec.Fill
)

// ImageOptions are the settings of a loader of pictures.
type ImageOptions struct {
	// Spec is what each picture becomes. It has to fix the size: all samples of a batch have one shape.
	Spec decode.ImageSpec
	// Augment draws crops and flips for each sample and epoch, from Seed. Its zero value draws nothing.
	Augment resize.Augment
	// Batch is the number of samples a batch. 0 means 32.
	Batch int
	// Workers is how many pictures are decoded at a time. 0 means one a core.
	Workers int
	// Epochs is how often the source is gone through. 0 means once.
	Epochs int
	// Shuffle takes the samples of each epoch in an order of its own, drawn from Seed.
	Shuffle bool
	// Seed is what the order and the augmentation are drawn from.
	Seed uint64
	// Limit is how many samples of each epoch are taken, the first in its order. 0 means all.
	Limit int
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
	// JPEG says what decodes JPEG pictures.
	JPEG decode.JPEGEngine
	// Prefetch is how many finished batches may wait for the consumer. 0 means 2.
	Prefetch int
}

func (o *ImageOptions) setDefaults() {
	for _, x := range []struct {
		field *int
		value int
	}{{&o.Batch, 32}, {&o.Workers, runtime.NumCPU()}, {&o.Epochs, 1}, {&o.Prefetch, 2}} {
		if *x.field == 0 {
			*x.field = x.value
		}
	}
}

// Validate reports all that is wrong with the options, as spool.ErrOptions.
func (o ImageOptions) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if err := o.Spec.Validate(); err != nil {
		problems = append(problems, err)
	} else if _, fixed := o.Spec.Sample(); !fixed {
		bad("the samples of a batch need one size: set Width and Height, or CropWidth and CropHeight")
	}
	if err := o.Augment.Validate(o.Spec.Resize); err != nil {
		problems = append(problems, err)
	}
	if o.augments() && o.Spec.Draw != nil {
		bad("augmentation and a Draw of the spec's own exclude each other")
	}
	for _, x := range []struct {
		name  string
		value int
	}{{"batch", o.Batch}, {"workers", o.Workers}, {"epochs", o.Epochs}, {"limit", o.Limit}, {"prefetch", o.Prefetch}, {"max failures", o.MaxFailures}} {
		if x.value < 0 {
			bad("%s %d is negative", x.name, x.value)
		}
	}
	if !(o.MaxFailureRate >= 0 && o.MaxFailureRate < 1) {
		bad("max failure rate %v is not in [0, 1)", o.MaxFailureRate)
	}
	if o.Order > batch.Any {
		bad("order %d", o.Order)
	}
	if o.Last > batch.Pad {
		bad("last-batch policy %d", o.Last)
	}
	if o.OnError > Placeholder {
		bad("error policy %d", o.OnError)
	}
	if o.JPEG > decode.JPEGTurbo {
		bad("there is no %v", o.JPEG)
	}
	return errors.Join(problems...)
}

// augments reports whether anything is drawn for a sample.
func (o ImageOptions) augments() bool { return o.Augment != resize.Augment{} }

// samples is how many samples an epoch has.
func (o ImageOptions) samples(src source.Source) int {
	if n := src.Len(); o.Limit == 0 || n < o.Limit {
		return n
	}
	return o.Limit
}
