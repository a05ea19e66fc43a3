package batch

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Order is the order of the samples in batches.
type Order uint8

const (
	Exact Order = iota // input order, whatever samples fail and however long they take
	Any                // each sample stays in the slot where it was decoded
)

// Last is what happens to an epoch's last batch if it is not full.
type Last uint8

const (
	Keep Last = iota // it is delivered short
	Drop             // it is not delivered
	// Pad repeats its last sample until it is full: Sample.Padding marks the copies, Batch.Padded counts them.
	Pad
)

// AssemblerOptions are the settings of an Assembler.
type AssemblerOptions struct {
	Size   int         // samples per batch; 0 means 32
	Sample spool.Desc  // shape, type and layout of one sample; required
	Pool   *spool.Pool // provides the slabs; required
	Order  Order
	Last   Last

	// Batches, if not nil, returns the minimum number of batches of an epoch. If failures leave fewer, the assembler
	// repeats the epoch's last batch with all slots as padding. The copies share memory and are read-only. An epoch in
	// which every sample fails has no batches. Batches requires one more slab.
	Batches func(epoch int) int
}

func (o *AssemblerOptions) setDefaults() {
	if o.Size == 0 {
		o.Size = 32
	}
}

func (o AssemblerOptions) validate() error {
	var problems []error
	if o.Size < 0 {
		problems = append(problems, fmt.Errorf("%w: Size %d: a batch must have at least 1 sample", spool.ErrOptions, o.Size))
	}
	if n, ok := o.Sample.Bytes(); !ok || n == 0 || len(o.Sample.Shape) == 0 {
		problems = append(problems, fmt.Errorf("%w: a sample of %v has no size", spool.ErrOptions, o.Sample))
	} else if o.Size > 0 && n > int(^uint(0)>>1)/(o.Size+1) {
		problems = append(problems, fmt.Errorf("%w: %d samples of %v do not fit in memory", spool.ErrOptions, o.Size,
			o.Sample))
	}
	if o.Pool == nil {
		problems = append(problems, fmt.Errorf("%w: Pool is nil", spool.ErrOptions))
	}
	if o.Order > Any {
		problems = append(problems, fmt.Errorf("%w: Order %d: no such order", spool.ErrOptions, o.Order))
	}
	if o.Last > Pad {
		problems = append(problems, fmt.Errorf("%w: Last %d: no such policy", spool.ErrOptions, o.Last))
	}
	return errors.Join(problems...)
}
