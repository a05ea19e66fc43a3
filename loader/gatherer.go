package loader

import (
	"context"

	"github.com/spoolmedia/spool/batch"
)

// gatherer hands decoded samples to the assembler and its batches on, as a pipe.Collector. Samples without a slot are
// batches already.
type gatherer struct {
	assembler *batch.Assembler
	epoch     int            // that samples are of
	batches   map[int]int    // of samples without a slot, by epoch
	ready     []*batch.Batch // complete and not handed on
	flushing  bool
	samples   int // added
}

// Add settles a sample.
func (g *gatherer) Add(_ context.Context, it *item) (*batch.Batch, bool, error) {
	if it.placed {
		it.placed = false
		g.samples++
		g.ready = append(g.ready, g.assembler.Add(it.slot, it.sample)...)
	}
	if it.part != nil {
		g.samples++
		g.ready = append(g.ready, batch.Of(it.part, it.sample, it.epoch, g.batches[it.epoch]))
		g.batches[it.epoch]++
	}
	g.ready = append(g.ready, it.batches...)
	b, ok := g.next()
	return b, ok, nil
}

// Flush gives what is left of an epoch.
func (g *gatherer) Flush(context.Context) (*batch.Batch, bool, error) {
	if !g.flushing && g.assembler != nil {
		g.ready = append(g.ready, g.assembler.End(g.epoch)...)
	}
	b, ok := g.next()
	if g.flushing = ok; !ok {
		g.epoch++
	}
	return b, ok, nil
}

func (g *gatherer) next() (*batch.Batch, bool) {
	if len(g.ready) == 0 {
		return nil, false
	}
	b := g.ready[0]
	g.ready = g.ready[1:]
	return b, true
}

// Release gives up the batches that nobody will take.
func (g *gatherer) Release() {
	for _, b := range g.ready {
		b.Release()
	}
	g.ready = nil
}
