package batch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

// Assembler hands out slots and builds batches from them. One goroutine calls Slot, in input order. One goroutine calls
// Add, End and Flush. Fail is safe for concurrent use. In Exact order, Add must be called in the order of Slot.
type Assembler struct {
	opts   AssemblerOptions
	layout layout

	mu     sync.Mutex
	epochs []*epoch // in progress, oldest first
	closed bool
}

// Slot is the place of one sample in a slab. It is owned until Add or Fail.
type Slot struct {
	epoch  *epoch
	slab   *slab
	layout *layout
	index  int
	bucket int // of Buckets
}

// Bytes returns the slot's memory, to which the caller writes the sample: that of its first field. The contents are
// unspecified at first.
func (s Slot) Bytes() []byte { return s.Field(0) }

// Field returns the slot's memory for a field, by its position in AssemblerOptions.Fields.
func (s Slot) Field(f int) []byte { return s.layout.at(s.slab.buffer, f, s.index, s.index+1) }

// Epoch returns the slot's epoch.
func (s Slot) Epoch() int { return s.epoch.number }

// NewAssembler returns an assembler. It owns its open slabs until Close. Errors are ErrOptions.
func NewAssembler(o AssemblerOptions) (*Assembler, error) {
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	a := &Assembler{opts: o}
	a.layout = newLayout(o.fields(), o.Size+a.spare())
	return a, nil
}

// Slot returns a slot for the next sample of an epoch. Epochs must come in ascending order. If a new slab is needed,
// Slot waits for the pool, and returns ctx's error if ctx ends first. It fails with ErrOptions for an earlier epoch and
// with ErrClosed after Close.
func (a *Assembler) Slot(ctx context.Context, epoch int) (Slot, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return Slot{}, spool.ErrClosed
	}
	e, err := a.current(epoch)
	if err != nil {
		return Slot{}, err
	}
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		e.out++
		s.slab.settled--
		return s, nil
	}
	var tail *slab
	if n := len(e.slabs); n > 0 && !e.slabs[n-1].closed {
		tail = e.slabs[n-1]
	}
	if tail != nil && tail.given >= a.opts.Size &&
		(tail.given > a.opts.Size || a.spare() == 0 || !e.fits(a.opts.Size, nil, 1)) {
		tail.closed = true
		e.sweep(a.opts.Size)
		tail = nil
	}
	if tail == nil {
		if tail, err = a.grow(ctx, e); err != nil {
			return Slot{}, err
		}
	}
	s := Slot{epoch: e, slab: tail, layout: &a.layout, index: tail.given}
	tail.given++
	e.out++
	return s, nil
}

// current returns the epoch with that number, which is created if it is new. The caller has the lock.
func (a *Assembler) current(number int) (*epoch, error) {
	if n := len(a.epochs); n > 0 {
		switch last := a.epochs[n-1]; {
		case last.number == number:
			return last, nil
		case last.number > number:
			return nil, fmt.Errorf("%w: epoch %d after epoch %d", spool.ErrOptions, number, last.number)
		default:
			last.close()
			if a.opts.Order == Exact {
				last.sweep(a.opts.Size)
			}
		}
	}
	e := &epoch{number: number}
	a.epochs = append(a.epochs, e)
	return e, nil
}

// grow adds a new slab to the epoch. The caller has the lock, which is released while waiting.
func (a *Assembler) grow(ctx context.Context, e *epoch) (*slab, error) {
	a.mu.Unlock()
	buffer, err := a.opts.Pool.GetFor(ctx, a.layout.total, spool.Slab)
	a.mu.Lock()
	if err != nil {
		return nil, err
	}
	if a.closed {
		buffer.Release()
		return nil, spool.ErrClosed
	}
	s := &slab{buffer: buffer}
	if a.opts.Order == Any {
		s.samples = make([]Sample, a.opts.Size)
		s.filled = make([]bool, a.opts.Size)
	}
	e.slabs = append(e.slabs, s)
	return s, nil
}

// spare returns the number of slots that a slab has in addition to its batch.
func (a *Assembler) spare() int {
	if a.opts.Order == Exact && a.opts.Size > 1 {
		return 1
	}
	return 0
}

// move copies a sample to another slot.
func (a *Assembler) move(to *slab, i int, from *slab, j int) {
	for f := range a.layout.fields {
		copy(a.layout.at(to.buffer, f, i, i+1), a.layout.at(from.buffer, f, j, j+1))
	}
}

// Add settles a slot that holds its sample, and returns the batches that this completes, usually none. The caller owns
// them. In Exact order, a sample of a later epoch also completes all earlier epochs.
func (a *Assembler) Add(s Slot, sample Sample) []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.settle(s) {
		return nil
	}
	var done []*Batch
	if a.opts.Order == Any {
		s.slab.samples[s.index], s.slab.filled[s.index] = sample, true
		if s.slab.settled == a.opts.Size && !slices.Contains(s.slab.filled, false) {
			done = append(done, a.removeFull(s.epoch, s.slab))
		}
		return append(done, a.finish(false)...)
	}
	for a.epochs[0] != s.epoch { // Exact order: all slots of earlier epochs are settled
		done = append(done, a.end(0)...)
	}
	if b := a.place(s.epoch, s.slab, s.index, sample); b != nil {
		done = append(done, b)
	}
	s.epoch.sweep(a.opts.Size)
	return done
}

// settle counts a slot as settled. It reports whether the assembler is open.
func (a *Assembler) settle(s Slot) bool {
	s.epoch.out--
	s.slab.settled++
	return !a.closed
}

// Fail settles a slot without a sample: a later sample takes its place in the batch. In Any order Fail returns the
// batches that this completes, as Add does. In Exact order it returns none.
func (a *Assembler) Fail(s Slot) []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.settle(s) {
		return nil
	}
	if a.opts.Order == Any {
		s.epoch.free = append(s.epoch.free, s)
		return a.finish(false)
	}
	s.epoch.sweep(a.opts.Size)
	return nil
}

// End ends all epochs up to and including epoch, whose slots must all be settled. It returns their remaining batches.
func (a *Assembler) End(epoch int) (done []*Batch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.epochs) > 0 && a.epochs[0].number <= epoch {
		done = append(done, a.end(0)...)
	}
	return done
}

// Flush ends all epochs and returns their remaining batches. All slots must be settled.
func (a *Assembler) Flush() []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.finish(true)
}

// Close releases the open slabs. Slots that are not settled must not be written to afterwards; Close reports them as
// ErrLeaked. A second Close does nothing.
func (a *Assembler) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	out := 0
	for _, e := range a.epochs {
		out += e.out
		for _, s := range e.slabs {
			s.buffer.Release()
		}
		e.forget()
	}
	a.epochs = nil
	if out > 0 {
		return fmt.Errorf("%w: %d slots of a batch", spool.ErrLeaked, out)
	}
	return nil
}

// finish ends the complete epochs, or all epochs. The caller has the lock.
func (a *Assembler) finish(all bool) (done []*Batch) {
	for i := 0; i < len(a.epochs); {
		if e := a.epochs[i]; all || e.closed && e.out == 0 {
			done = append(done, a.end(i)...)
		} else {
			i++
		}
	}
	return done
}

// end removes epoch i and returns its remaining batches. The caller has the lock.
func (a *Assembler) end(i int) (done []*Batch) {
	e := a.epochs[i]
	a.epochs = slices.Delete(a.epochs, i, i+1)
	if a.opts.Order == Any { // failed samples left gaps: compact the slabs as in Exact order
		for _, s := range slices.Clone(e.slabs) {
			for i, filled := range s.filled {
				if !filled {
					continue
				}
				if b := a.place(e, s, i, s.samples[i]); b != nil {
					done = append(done, b)
				}
			}
		}
	}
	if len(e.placed) > 0 && a.opts.Last != Drop {
		done = append(done, a.removeLast(e))
	}
	if a.opts.Batches != nil {
		done = append(done, a.repeat(e)...)
	}
	for _, s := range e.slabs {
		s.buffer.Release()
	}
	e.slabs, e.placed = nil, nil
	return done
}

// place appends the sample of a slot to the placed samples, and returns the head's batch if this completes it, else
// nil. The caller has the lock.
func (a *Assembler) place(e *epoch, from *slab, index int, sample Sample) *Batch {
	head, next := e.slabs[0], len(e.placed)
	if from != head || index != next {
		a.move(head, next, from, index)
	}
	e.placed = append(e.placed, sample)
	if len(e.placed) < a.opts.Size {
		return nil
	}
	e.slabs = e.slabs[1:]
	return a.batch(e, head, 0)
}

// removeFull removes a slab whose slots all hold a sample, and returns its batch.
func (a *Assembler) removeFull(e *epoch, s *slab) *Batch {
	e.slabs = slices.DeleteFunc(e.slabs, func(x *slab) bool { return x == s })
	e.placed = s.samples
	return a.batch(e, s, 0)
}

// removeLast removes the head slab and returns its batch, short or padded.
func (a *Assembler) removeLast(e *epoch) *Batch {
	head := e.slabs[0]
	e.slabs = e.slabs[1:]
	padded := 0
	if a.opts.Last == Pad {
		for last := len(e.placed) - 1; len(e.placed) < a.opts.Size; padded++ {
			a.move(head, len(e.placed), head, last)
			e.placed = append(e.placed, padding(e.placed[last:last+1])...)
		}
	}
	return a.batch(e, head, padded)
}

// batch returns the next batch, which consists of the placed samples.
func (a *Assembler) batch(e *epoch, s *slab, padded int) *Batch {
	b := &Batch{Samples: e.placed, Padded: padded, Epoch: e.number, Index: e.index, buffer: s.buffer, layout: &a.layout}
	e.placed = make([]Sample, 0, a.opts.Size)
	e.index++
	if a.opts.Batches != nil {
		e.forget()
		e.last = b.Retain()
	}
	return b
}

// padding returns copies of samples that only fill slots.
func padding(samples []Sample) []Sample {
	again := slices.Clone(samples)
	for i := range again {
		again[i].Padding = true
	}
	return again
}

// repeat returns copies of the epoch's last batch until the epoch has as many batches as AssemblerOptions.Batches
// requires.
func (a *Assembler) repeat(e *epoch) (done []*Batch) {
	for e.last != nil && e.index < a.opts.Batches(e.number) {
		b := e.last.Retain()
		b.Index, b.Padded, b.Samples = e.index, b.Len(), padding(b.Samples)
		e.index++
		done = append(done, b)
	}
	e.forget()
	return done
}
