package batch

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/spoolmedia/spool"
)

// Collator makes batches of samples that differ in size. Each sample is decoded into its own buffer, a Single, and
// copied once: the size of a batch is known when its last sample is decoded. One goroutine calls it. A batch consists
// of consecutive good samples, so batches depend on the samples and their order only.
type Collator struct {
	opts  CollatorOptions
	epoch int
	index int // of the next batch
	group group
	last  *Batch // a reference to the latest batch, if it may be repeated
}

// group is the samples of the next batch.
type group struct {
	singles []*Single
	samples []Sample
	largest []spool.Shape // by field
	cost    int           // of all samples, if joined
	bytes   int           // of all samples, if joined
}

// NewCollator returns a collator. It owns the samples of its next batch until Close. Errors are ErrOptions.
func NewCollator(o CollatorOptions) (*Collator, error) {
	o.setDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	return &Collator{opts: o}, nil
}

// Add adds a sample, which it owns from then on, also on error. It returns the batches that this completes, which the
// caller owns. Epochs must come in ascending order, and End ends one before the next begins. The error is ErrTooLarge
// for a sample that no batch can hold, or whose batch would be too large, and ErrUnsupported for an image that does not
// consist of whole patches; the sample is left out. Other errors are those of the pool.
func (c *Collator) Add(ctx context.Context, epoch int, s *Single, sample Sample) (done []*Batch, err error) {
	if epoch != c.epoch {
		c.epoch, c.index = epoch, 0
	}
	if err := c.whole(s); err != nil {
		s.Release()
		return nil, err
	}
	alone := c.with(&group{}, s)
	if err := c.exceeds(&alone); err != nil {
		s.Release()
		return nil, err
	}
	next := c.with(&c.group, s)
	if err := c.exceeds(&next); err != nil {
		if c.opts.Cost == nil {
			s.Release()
			return nil, err
		}
		if done, err = c.deliver(ctx, 0); err != nil {
			s.Release()
			return nil, err
		}
		next = alone
	}
	c.group = next
	c.group.samples = append(c.group.samples, sample)
	if len(c.group.singles) == c.opts.Size {
		var full []*Batch
		full, err = c.deliver(ctx, 0)
		done = append(done, full...)
	}
	return done, err
}

// whole returns the error of a sample with an image that does not consist of whole patches.
func (c *Collator) whole(s *Single) error {
	for _, f := range s.layout.fields {
		if c.opts.Patches.of(f) && !c.opts.Patches.fits(f.Sample) {
			return &spool.Error{Op: "batch", Class: spool.ErrUnsupported,
				Text: fmt.Sprintf("%v has sides that are no multiples of %d", f.Sample, c.opts.Patches.Side())}
		}
	}
	return nil
}

// with returns the group with another sample, whose description is not added yet.
func (c *Collator) with(g *group, s *Single) group {
	next := group{singles: append(g.singles, s), bytes: g.bytes + c.bytes(s), samples: g.samples,
		largest: make([]spool.Shape, len(c.opts.Fields))}
	for f := range c.opts.Fields {
		shape := slices.Clone(s.shape(f))
		for d := range shape {
			if c.opts.Fields[f].Sample.Shape[d] == 0 {
				shape[d] = (shape[d] + c.opts.Multiple - 1) / c.opts.Multiple * c.opts.Multiple
			}
			if g.largest != nil {
				shape[d] = max(shape[d], g.largest[f][d])
			}
		}
		next.largest[f] = shape
	}
	if c.opts.Cost != nil {
		next.cost = g.cost + c.opts.Cost(s.layout.fields)
	}
	return next
}

// exceeds returns the error of a group that is too large for a batch.
func (c *Collator) exceeds(g *group) error {
	cost, n := g.cost, g.bytes
	if c.opts.Form == Padded {
		fields := c.padded(g)
		if c.opts.Cost != nil {
			cost = len(g.singles) * c.opts.Cost(fields)
		}
		n = 0
		for _, f := range fields {
			each, ok := f.Sample.Bytes()
			if !ok || each > c.opts.MaxBytes {
				each = c.opts.MaxBytes
			}
			n += len(g.singles)*each + fieldAlign
		}
	}
	switch {
	case c.opts.Cost != nil && cost > c.opts.Budget:
		return &spool.Error{Op: "batch", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("costs %d, and a batch may cost %d", cost, c.opts.Budget)}
	case n > c.opts.MaxBytes:
		return &spool.Error{Op: "batch", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("a batch of %d samples takes %d bytes with it, and the limit is %d", len(g.singles), n,
				c.opts.MaxBytes)}
	}
	return nil
}

// padded returns the fields with the slots of a group.
func (c *Collator) padded(g *group) []Field {
	fields := slices.Clone(c.opts.Fields)
	for f := range fields {
		fields[f].Sample.Shape = g.largest[f]
	}
	return fields
}

// deliver makes a batch of the group, and begins a new group. The last padded samples only fill the batch.
func (c *Collator) deliver(ctx context.Context, padded int) ([]*Batch, error) {
	g := c.group
	l := c.layout(&g)
	buffer, err := c.opts.Pool.GetFor(ctx, c.slabBytes(l.total), spool.Slab)
	if err != nil {
		return nil, err
	}
	for f := range l.fields {
		for i, s := range g.singles {
			to := l.at(buffer, f, i, i+1)
			if l.grids[f] != nil {
				c.opts.Patches.cut(to, s.Field(f), s.layout.fields[f].Sample)
				continue
			}
			if l.ragged(f) || l.shapes[f] == nil {
				copy(to, s.Field(f))
				continue
			}
			sample := l.fields[f].Sample
			newRegion(sample.Shape, s.shape(f), sample.DType.Size(), c.opts.Fill[f]).write(to, s.Field(f))
		}
	}
	for _, s := range g.singles[:len(g.singles)-padded] {
		s.Release()
	}
	b := &Batch{Samples: g.samples, Padded: padded, Epoch: c.epoch, Index: c.index, buffer: buffer, layout: &l}
	c.group = group{}
	c.index++
	if c.opts.Batches != nil {
		c.forget()
		c.last = b.Retain()
	}
	return []*Batch{b}, nil
}

// slabBytes returns the size of the slab for a batch of n bytes: a power of 2, so that the pool's memory is soon used
// again, although batches differ in size. New memory costs more than a copy, since the system clears its pages.
func (c *Collator) slabBytes(n int) int { return max(n, min(1<<bits.Len(uint(n)), c.opts.MaxBytes)) }

// End ends an epoch and returns its remaining batches, which the caller owns. Errors are those of the pool, and
// ErrTooLarge for a last batch that its padding with samples would make too large.
func (c *Collator) End(ctx context.Context, epoch int) (done []*Batch, err error) {
	if epoch != c.epoch {
		c.epoch, c.index = epoch, 0
	}
	n := len(c.group.singles)
	switch {
	case n == 0:
	case c.opts.Last == Drop:
		c.group.release()
		c.group = group{}
	default:
		if c.opts.Last == Pad {
			c.fill()
			err = c.exceeds(&c.group)
		}
		if err == nil {
			done, err = c.deliver(ctx, len(c.group.singles)-n)
		}
		if err != nil {
			c.group.singles = c.group.singles[:n]
			return nil, err
		}
	}
	if c.opts.Batches != nil {
		for c.last != nil && c.index < c.opts.Batches(epoch) {
			b := c.last.Retain()
			b.Index, b.Padded, b.Samples = c.index, b.Len(), padding(b.Samples)
			c.index++
			done = append(done, b)
		}
		c.forget()
	}
	return done, nil
}

// fill repeats the last sample until the batch is full.
func (c *Collator) fill() {
	g := &c.group
	last := len(g.singles) - 1
	for len(g.singles) < c.opts.Size {
		*g = c.with(g, g.singles[last])
		g.samples = append(g.samples, padding(g.samples[last:last+1])...)
	}
}

// release releases the samples.
func (g *group) release() {
	for _, s := range g.singles {
		s.Release()
	}
}

// forget releases the latest batch.
func (c *Collator) forget() {
	if c.last != nil {
		c.last.Release()
		c.last = nil
	}
}

// Close releases the samples of the next batch. It returns nil. A second Close does nothing.
func (c *Collator) Close() error {
	c.group.release()
	c.group = group{}
	c.forget()
	return nil
}
