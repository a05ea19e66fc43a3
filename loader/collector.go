package loader

import (
	"context"

	"github.com/spoolmedia/spool/batch"
)

// collector passes decoded samples to the assembler and delivers its batches, as a pipe.Collector. Samples without a
// slot are batches already.
type collector struct {
	assembler *batch.Assembler
	epoch     int            // epoch of the samples
	batches   map[int]int    // number of samples without a slot, by epoch
	ready     []*batch.Batch // complete, not delivered yet
	flushing  bool
	samples   int // samples added
}

// Add settles a sample.
func (g *collector) Add(_ context.Context, it *item) (*batch.Batch, bool, error) {
	if it.placed {
		it.placed = false
		g.samples++
		g.ready = append(g.ready, g.assembler.Add(it.slot, it.sample)...)
	}
	if it.buffer != nil {
		g.samples++
		g.ready = append(g.ready, batch.FromBuffer(it.buffer, it.sample, it.epoch, g.batches[it.epoch]))
		g.batches[it.epoch]++
	}
	g.ready = append(g.ready, it.batches...)
	b, ok := g.next()
	return b, ok, nil
}

// Flush returns the remaining batches of an epoch.
func (g *collector) Flush(context.Context) (*batch.Batch, bool, error) {
	if !g.flushing && g.assembler != nil {
		g.ready = append(g.ready, g.assembler.End(g.epoch)...)
	}
	b, ok := g.next()
	if g.flushing = ok; !ok {
		g.epoch++
	}
	return b, ok, nil
}

func (g *collector) next() (*batch.Batch, bool) {
	if len(g.ready) == 0 {
		return nil, false
	}
	b := g.ready[0]
	g.ready = g.ready[1:]
	return b, true
}

// Release releases the batches that are not delivered.
func (g *collector) Release() {
	for _, b := range g.ready {
		b.Release()
	}
	g.ready = nil
}
