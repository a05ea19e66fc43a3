package batch

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Form is how a batch holds fields whose samples differ in size.
type Form uint8

const (
	Padded Form = iota // each in a slot of the largest size, at its left upper corner
	Ragged             // one after the other, without padding
)

// CollatorOptions are the settings of a Collator.
type CollatorOptions struct {
	Size     int     // samples per batch, or the most of them with Cost; 0 means 32
	Fields   []Field // the arrays of one sample; a side that varies is 0
	Form     Form
	Multiple int // Padded: the sides that vary are multiples of it; 0 means 1
	// Fill has the bytes of one element of the padding, by field; nil means zeros.
	Fill [][]byte

	// Patches, if not nil, cuts images into patches, for ragged batches. An image whose sides are no multiples of
	// Patches.Side is left out.
	Patches *Patches

	// Cost, if not nil, returns the cost of a sample of given arrays. A batch is complete when another sample would raise
	// its cost above Budget. In a padded batch, each sample costs as much as its slot.
	Cost   func(fields []Field) int
	Budget int

	// MaxBytes is the largest size of a batch; required. Pool provides the memory of batches; required.
	MaxBytes int
	Pool     *spool.Pool

	Last Last // Pad is not for batches by Cost
	// Batches is that of AssemblerOptions.
	Batches func(epoch int) int
}

func (o *CollatorOptions) setDefaults() {
	if o.Size == 0 {
		o.Size = 32
	}
	if o.Multiple == 0 {
		o.Multiple = 1
	}
	if o.Fill == nil {
		o.Fill = make([][]byte, len(o.Fields))
	}
}

func (o CollatorOptions) validate() error {
	var bad invalid.Options
	for _, x := range []struct {
		name  string
		value int
	}{{"Size", o.Size}, {"Multiple", o.Multiple}, {"MaxBytes", o.MaxBytes}} {
		if x.value < 1 {
			bad.Value(x.name, x.value, "must be positive")
		}
	}
	if len(o.Fields) == 0 || len(o.Fill) != len(o.Fields) {
		bad.Values(invalid.Named("Fields", "Fill"), "a sample needs arrays, each with a value for its padding")
	}
	if o.Form > Ragged {
		bad.Value("Form", uint8(o.Form), "no such form")
	}
	if p := o.Patches; p != nil && (o.Form != Ragged || p.Size < 1 || p.Merge < 0 || p.Frames < 0) {
		bad.Value("Patches", *p, "must have a positive size, in a joined batch")
	}
	if o.Cost != nil && o.Budget < 1 {
		bad.Value("Budget", o.Budget, "must be positive")
	}
	if o.Last > Pad {
		bad.Value("Last", uint8(o.Last), "no such policy")
	}
	if o.Last == Pad && o.Cost != nil {
		bad.Excludes(invalid.With("Last", "Pad"), invalid.Named("Cost"), "batches have no common number of samples")
	}
	if o.Pool == nil {
		bad.Values(invalid.Named("Pool"), "must be set")
	}
	return bad.Err()
}
