package loader

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record"
)

// assemble creates the pool of slabs and the assembly.
func (l *Loader) assemble() error {
	switch m := &l.mediumSpec; {
	case m.buckets != nil:
		return l.assembleBuckets()
	case m.form.sized():
		return l.assembleSized()
	}
	o, arrays := l.options, l.mediumSpec.arrays()
	if err := l.newSlabs(l.slabMemory()); err != nil {
		return err
	}
	// all at once, so that memory use does not grow later
	if err := l.slabs.Reserve(batch.SlabBytes(arrays, o.Batch), l.slabCount()); err != nil {
		return err
	}
	settings := batch.AssemblerOptions{Size: o.Batch, Fields: arrays, Pool: l.slabs, Order: o.Order, Last: o.Last}
	if o.Sharing.Rank.World > 1 {
		settings.Batches = l.schedule.remainingBatches
	}
	a, err := batch.NewAssembler(settings)
	if err == nil {
		l.assembly = dense{a}
	}
	return err
}

// newSlabs creates the pool of slabs.
func (l *Loader) newSlabs(ceiling int64) (err error) {
	l.slabs, err = spool.NewPool(spool.PoolOptions{MaxBytes: ceiling, Allocator: l.options.Allocator})
	return err
}

// assembleBuckets creates an assembler for each bucket. Each may keep two slabs for samples that wait.
func (l *Loader) assembleBuckets() error {
	largest := 0
	for _, arrays := range l.mediumSpec.buckets {
		largest = max(largest, batch.SlabBytes(arrays, l.options.Batch))
	}
	slabs := int64(l.slabCount() + 2*len(l.mediumSpec.buckets))
	if err := l.newSlabs(slabs * slabCeiling(largest)); err != nil {
		return err
	}
	b, err := batch.NewBuckets(batch.AssemblerOptions{Size: l.options.Batch, Pool: l.slabs, Last: l.options.Last},
		l.mediumSpec.buckets)
	if err == nil {
		l.assembly = bucketed{b}
	}
	return err
}

// assembleSized creates a collator. Size classes of pools take up to a quarter more, and at least a page. So samples
// have room for a batch and one more sample of a batch's size, and slabs for the consumer's batch, the next one, and
// one to be repeated.
func (l *Loader) assembleSized() error {
	o, f, plan := l.options, l.mediumSpec.form, l.mediumSpec.record
	const sampleShare, slabShare = 3, 5 // of eight
	if err := l.newSlabs(f.memory() / 8 * slabShare); err != nil {
		return err
	}
	settings := batch.CollatorOptions{Size: o.Batch, Fields: plan.Arrays(), Multiple: f.Multiple, Fill: f.padding(plan),
		MaxBytes: f.largest(), Pool: l.slabs, Last: o.Last}
	if f.ragged() {
		settings.Form = batch.Ragged
	}
	settings.Patches = f.patches()
	if f.budgeted() {
		settings.Cost, settings.Budget = f.cost(plan), max(f.Pixels, f.Tokens, f.ClipFrames, f.AudioSamples)
	}
	if o.Sharing.Rank.World > 1 && f.counted() {
		settings.Batches = l.schedule.remainingBatches
	}
	c, err := batch.NewCollator(settings)
	if err != nil {
		return err
	}
	const page = 4096
	singles, err := spool.NewPool(spool.PoolOptions{MaxBytes: f.memory()/8*sampleShare + int64(o.Batch+1)*page})
	if err == nil {
		l.assembly = loose{c, singles, f.largest()}
	}
	return err
}

// cost returns the cost of a sample of given arrays in pixels, tokens, frames or audio samples.
func (f Form) cost(plan *record.Plan) func([]batch.Field) int {
	if f.ClipFrames > 0 || f.AudioSamples > 0 {
		return f.long(plan)
	}
	images, patch := plan.Images(), 1
	if f.Tokens > 0 {
		patch = f.patch()
	}
	return func(arrays []batch.Field) (n int) {
		for _, a := range images {
			shape := arrays[a].Sample.Shape
			height, width := shape[0], shape[1]
			if arrays[a].Sample.Layout == spool.CHW {
				height, width = shape[1], shape[2]
			}
			n += ((height + patch - 1) / patch) * ((width + patch - 1) / patch)
		}
		return n
	}
}

// long returns the cost of a sample of given arrays in frames or audio samples.
func (f Form) long(plan *record.Plan) func([]batch.Field) int {
	arrays := plan.Clips()
	if f.AudioSamples > 0 {
		arrays = plan.Audios()
	}
	return func(all []batch.Field) (n int) {
		for _, a := range arrays {
			time := 0
			if all[a].Sample.Layout == spool.CT {
				time = 1
			}
			n += all[a].Sample.Shape[time]
		}
		return n
	}
}
