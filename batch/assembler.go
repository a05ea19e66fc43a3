package batch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

// Assembler gives out slots and makes batches of them. One goroutine calls Slot, in input order; one
// goroutine calls Add and Flush; Fail may be called from anywhere. In Exact order Add has to be
// called in the order of Slot.
type Assembler struct {
	opts Options
	slot int // bytes

	mu     sync.Mutex
	epochs []*epoch // under way, oldest first
	closed bool
}

// Slot is a place for one sample. It is owned until Add or Fail.
type Slot struct {
	epoch *epoch
	slab  *slab
	index int
	bytes []byte
}

// Bytes is the slot's memory: write the sample here. The contents are unspecified at first.
func (s Slot) Bytes() []byte { return s.bytes }

// Epoch is the pass over the data that the slot belongs to.
func (s Slot) Epoch() int { return s.epoch.number }

// New makes an assembler. It owns its open slabs until Close.
func New(o Options) (*Assembler, error) {
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	n, _ := o.Sample.Bytes()
	return &Assembler{opts: o, slot: n}, nil
}

// Slot gives a place for the next sample of the epoch; epochs come in ascending order. It waits for the pool
// when a new slab is needed, and returns ctx's error when that ends first.
func (a *Assembler) Slot(ctx context.Context, number int) (Slot, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return Slot{}, spool.ErrClosed
	}
	e, err := a.current(number)
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
	if tail != nil && tail.given >= a.opts.Size && (tail.given > a.opts.Size || a.spare() == 0 || !e.fits(a.opts.Size, nil, 1)) {
		tail.closed = true
		e.sweep(a.opts.Size)
		tail = nil
	}
	if tail == nil {
		if tail, err = a.grow(ctx, e); err != nil {
			return Slot{}, err
		}
	}
	s := Slot{epoch: e, slab: tail, index: tail.given, bytes: a.at(tail, tail.given)}
	tail.given++
	e.out++
	return s, nil
}

// current is the epoch of that number, begun if it is new. The caller holds the lock.
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

// grow opens a new slab at the epoch's end. The caller holds the lock, which is let go while waiting.
func (a *Assembler) grow(ctx context.Context, e *epoch) (*slab, error) {
	a.mu.Unlock()
	buffer, err := a.opts.Pool.GetFor(ctx, (a.opts.Size+a.spare())*a.slot, spool.Slab)
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

// spare is the number of slots a slab has beyond its batch.
func (a *Assembler) spare() int {
	if a.opts.Order == Exact && a.opts.Size > 1 {
		return 1
	}
	return 0
}

func (a *Assembler) at(s *slab, i int) []byte {
	return s.buffer.Bytes()[i*a.slot : (i+1)*a.slot : (i+1)*a.slot]
}

// Add settles a slot whose bytes are written, and returns the batches that this completes, owned by
// the caller: usually none. A sample of a later epoch also completes what came before it.
func (a *Assembler) Add(s Slot, sample Sample) []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.epoch.out--
	s.slab.settled++
	if a.closed {
		return nil
	}
	var done []*Batch
	if a.opts.Order == Any {
		s.slab.samples[s.index], s.slab.filled[s.index] = sample, true
		if s.slab.settled == a.opts.Size && !slices.Contains(s.slab.filled, false) {
			done = append(done, a.takeFull(s.epoch, s.slab))
		}
		return append(done, a.finish(false)...)
	}
	for a.epochs[0] != s.epoch { // input order: all of the earlier epochs is settled
		done = append(done, a.end(0)...)
	}
	if b := a.place(s.epoch, s.slab, s.index, sample); b != nil {
		done = append(done, b)
	}
	s.epoch.sweep(a.opts.Size)
	return done
}

// Fail settles a slot without a sample: the batch is filled by a later one. In Any order it returns the
// batches that this completes, as Add does; in Exact order there are none.
func (a *Assembler) Fail(s Slot) []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.epoch.out--
	s.slab.settled++
	if a.closed {
		return nil
	}
	if a.opts.Order == Any {
		s.epoch.free = append(s.epoch.free, s)
		return a.finish(false)
	}
	s.epoch.sweep(a.opts.Size)
	return nil
}

// End ends the epochs up to that one, all of whose slots are settled, and returns what they still hold.
func (a *Assembler) End(epoch int) (done []*Batch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.epochs) > 0 && a.epochs[0].number <= epoch {
		done = append(done, a.end(0)...)
	}
	return done
}

// Flush ends all epochs, to be called when every slot is settled, and returns what they still hold.
func (a *Assembler) Flush() []*Batch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.finish(true)
}

// Close gives the open slabs back. Slots that are still out must not be written to any more; that
// there are any is reported as ErrLeaked. A second Close does nothing.
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

// finish ends the epochs that are complete, or all. The caller holds the lock.
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

// end takes epoch i off the list and gives its remaining samples. The caller holds the lock.
func (a *Assembler) end(i int) (done []*Batch) {
	e := a.epochs[i]
	a.epochs = slices.Delete(a.epochs, i, i+1)
	if a.opts.Order == Any { // the slabs have holes: close ranks as Exact order does
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
		done = append(done, a.takeLast(e))
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

// place puts a sample that lies in a slot behind those already placed, and gives the batch that is
// full then, or nil. The caller holds the lock.
func (a *Assembler) place(e *epoch, from *slab, index int, sample Sample) *Batch {
	head, next := e.slabs[0], len(e.placed)
	if from != head || index != next {
		copy(a.at(head, next), a.at(from, index))
	}
	e.placed = append(e.placed, sample)
	if len(e.placed) < a.opts.Size {
		return nil
	}
	e.slabs = e.slabs[1:]
	return a.batch(e, head, 0)
}

// takeFull takes a slab with a sample in every slot off the list.
func (a *Assembler) takeFull(e *epoch, s *slab) *Batch {
	e.slabs = slices.DeleteFunc(e.slabs, func(x *slab) bool { return x == s })
	e.placed = s.samples
	return a.batch(e, s, 0)
}

// takeLast takes the head slab as it is, short or padded.
func (a *Assembler) takeLast(e *epoch) *Batch {
	head := e.slabs[0]
	e.slabs = e.slabs[1:]
	padded := 0
	if a.opts.Last == Pad {
		for last := len(e.placed) - 1; len(e.placed) < a.opts.Size; padded++ {
			copy(a.at(head, len(e.placed)), a.at(head, last))
			e.placed = append(e.placed, padding(e.placed[last:last+1])...)
		}
	}
	return a.batch(e, head, padded)
}

// batch makes the next batch of what is placed.
func (a *Assembler) batch(e *epoch, s *slab, padded int) *Batch {
	b := &Batch{Samples: e.placed, Padded: padded, Epoch: e.number, Index: e.index, buffer: s.buffer, slot: a.slot,
		desc: spool.Desc{
			Shape:  append(spool.Shape{len(e.placed)}, a.opts.Sample.Shape...),
			DType:  a.opts.Sample.DType,
			Layout: a.opts.Sample.Layout.Batched(),
		}}
	e.placed = make([]Sample, 0, a.opts.Size)
	e.index++
	if a.opts.Batches != nil {
		e.forget()
		e.last = b.Share()
	}
	return b
}

// padding are samples that come again only to fill slots.
func padding(samples []Sample) []Sample {
	again := slices.Clone(samples)
	for i := range again {
		again[i].Padding = true
	}
	return again
}

// repeat gives the epoch's last batch again, until it has given as many as it is to give.
func (a *Assembler) repeat(e *epoch) (done []*Batch) {
	for e.last != nil && e.index < a.opts.Batches(e.number) {
		b := e.last.Share()
		b.Index, b.Padded, b.Samples = e.index, b.Len(), padding(b.Samples)
		e.index++
		done = append(done, b)
	}
	e.forget()
	return done
}
