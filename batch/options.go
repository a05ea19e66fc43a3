package batch

import (
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Order is the order of the samples in batches.
type Order uint8

const (
	Exact Order = iota // input order, whatever samples fail and however long they take
	Any                // each sample stays in the slot where it was decoded
)

var orderNames = enum.Names{"exact", "any"}

// String is the order's name on the command line.
func (o Order) String() string { return orderNames.Of("Order", uint8(o)) }

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
	Sample spool.Desc  // shape, type and layout of one sample; required without Fields
	Fields []Field     // the arrays of one sample, if it has several; instead of Sample
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

// fields returns the arrays of one sample.
func (o AssemblerOptions) fields() []Field {
	if o.Fields == nil {
		return []Field{{Sample: o.Sample}}
	}
	return o.Fields
}

func (o AssemblerOptions) validate() error {
	var bad invalid.Options
	if o.Size < 0 {
		bad.Value("Size", o.Size, "a batch must have at least 1 sample")
	}
	if len(o.Sample.Shape) > 0 && o.Fields != nil {
		bad.Excludes(invalid.Named("Sample"), invalid.Named("Fields"), "a sample has one description")
	}
	total, fields := 0, o.fields()
	for _, f := range fields {
		n, ok := f.Sample.Bytes()
		if !ok || n == 0 || len(f.Sample.Shape) == 0 && f.Name == "" {
			bad.Value("Sample", f.Sample, "has no size")
			continue
		}
		if o.Size > 0 && n > (math.MaxInt-total-len(fields)*fieldAlign)/(o.Size+1) {
			bad.Values([]spool.Option{{Name: "Size", Value: o.Size}, {Name: "Sample", Value: f.Sample}},
				"a batch does not fit in memory")
			continue
		}
		total += n * (o.Size + 1)
	}
	if o.Pool == nil {
		bad.Values(invalid.Named("Pool"), "must be set")
	}
	if o.Order > Any {
		bad.Value("Order", uint8(o.Order), "no such order")
	}
	if o.Last > Pad {
		bad.Value("Last", uint8(o.Last), "no such policy")
	}
	return bad.Err()
}
