package batch

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Order says which sample comes to lie where.
type Order uint8

const (
	Exact Order = iota // input order, whatever fails and whenever it is done
	Any                // as they were decoded
)

// Last says what becomes of an epoch's last batch when it is not full.
type Last uint8

const (
	Keep Last = iota // it is delivered short
	Drop             // it is not delivered
	Pad              // its last sample is repeated until it is full: Sample.Padding marks these, Batch.Padded counts them
)

// Options are an Assembler's settings.
type Options struct {
	Size   int         // samples a batch; 0 means 32
	Sample spool.Desc  // one sample: HWC or CHW with its shape and type; needed
	Pool   *spool.Pool // where slabs come from; needed
	Order  Order
	Last   Last

	// Batches, if not nil, is how many batches an epoch gives, at least. Where samples fail and there are no others, it gives
	// the last one again, with all of its slots as padding and memory that both share, to be read only. (An epoch without a
	// single sample gives none.) It takes a slab more.
	Batches func(epoch int) int
}

func (o *Options) setDefaults() {
	if o.Size == 0 {
		o.Size = 32
	}
}

func (o Options) validate() error {
	var problems []error
	if o.Size < 0 {
		problems = append(problems, fmt.Errorf("%w: a batch of %d samples", spool.ErrOptions, o.Size))
	}
	if n, ok := o.Sample.Bytes(); !ok || n == 0 || len(o.Sample.Shape) == 0 {
		problems = append(problems, fmt.Errorf("%w: a sample of %v has no size", spool.ErrOptions, o.Sample))
	} else if o.Size > 0 && n > int(^uint(0)>>1)/(o.Size+1) {
		problems = append(problems, fmt.Errorf("%w: %d samples of %v do not fit in memory", spool.ErrOptions, o.Size, o.Sample))
	}
	if o.Pool == nil {
		problems = append(problems, fmt.Errorf("%w: no pool", spool.ErrOptions))
	}
	if o.Order > Any {
		problems = append(problems, fmt.Errorf("%w: order %d", spool.ErrOptions, o.Order))
	}
	if o.Last > Pad {
		problems = append(problems, fmt.Errorf("%w: last-batch policy %d", spool.ErrOptions, o.Last))
	}
	return errors.Join(problems...)
}
