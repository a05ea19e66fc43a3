package batch

import (
	"context"
	"errors"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Buckets builds batches of samples of several sizes, where each batch has one size. A bucket is an Assembler, so
// decoders write to the slots of batches. Calls are those of an Assembler in Exact order.
type Buckets struct {
	assemblers []*Assembler
	epoch      int
	taken      int // places of the epoch that were taken up
}

// NewBuckets returns buckets for samples with these arrays, by bucket. o has everything else, and its Fields and Sample
// are not used. The pool needs room for two slabs of each bucket, in addition to the consumer's batches. Errors are
// ErrOptions.
func NewBuckets(o AssemblerOptions, arrays [][]Field) (*Buckets, error) {
	if len(arrays) == 0 || o.Order != Exact || o.Batches != nil {
		return nil, &spool.OptionError{Options: invalid.Named("Order", "Batches"),
			Text: "buckets need arrays and exact order, and have no least number of batches"}
	}
	b := &Buckets{}
	for _, fields := range arrays {
		o.Fields, o.Sample = fields, spool.Desc{}
		a, err := NewAssembler(o)
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		b.assemblers = append(b.assemblers, a)
	}
	return b, nil
}

// Slot returns a slot of a bucket: see Assembler.Slot.
func (b *Buckets) Slot(ctx context.Context, epoch, bucket int) (Slot, error) {
	s, err := b.assemblers[bucket].Slot(ctx, epoch)
	s.bucket = bucket
	return s, err
}

// Add settles a slot that holds its sample, and returns the batch that this completes, if any. Sample.Place must
// ascend within an epoch. End must be called for an epoch before the samples of the next are added.
func (b *Buckets) Add(s Slot, sample Sample) []*Batch {
	if e := s.Epoch(); e != b.epoch {
		b.epoch, b.taken = e, 0
	}
	b.taken = sample.Place + 1
	return b.mark(b.assemblers[s.bucket].Add(s, sample))
}

// Fail settles a slot without a sample: see Assembler.Fail.
func (b *Buckets) Fail(s Slot) []*Batch { return b.assemblers[s.bucket].Fail(s) }

// End ends an epoch, and returns the remaining batches, in the order of the buckets.
func (b *Buckets) End(epoch int) (done []*Batch) {
	for _, a := range b.assemblers {
		done = append(done, b.mark(a.End(epoch))...)
	}
	return done
}

// mark sets where in the epoch batches are that were just completed.
func (b *Buckets) mark(batches []*Batch) []*Batch {
	for _, x := range batches {
		x.Taken = b.taken
		for _, a := range b.assemblers {
			x.Waiting = append(x.Waiting, a.waiting(x.Epoch)...)
		}
		slices.Sort(x.Waiting)
	}
	return batches
}

// Close closes all buckets: see Assembler.Close.
func (b *Buckets) Close() error {
	var err error
	for _, a := range b.assemblers {
		err = errors.Join(err, a.Close())
	}
	return err
}

// waiting returns the places of an epoch's samples that were added and are in no batch yet.
func (a *Assembler) waiting(epoch int) (places []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.epochs {
		if e.number == epoch {
			for _, s := range e.placed {
				places = append(places, s.Place)
			}
		}
	}
	return places
}
