package loader

import (
	"context"

	"github.com/spoolmedia/spool/batch"
)

// collector passes decoded samples to the assembly and delivers its batches, as a pipe.Collector. Samples without a
// slot are batches already.
type collector struct {
	assembly assembly       // nil without slots
	epoch    int            // epoch of the samples
	batches  map[int]int    // number of samples without a slot, by epoch
	ready    []*batch.Batch // complete, not delivered yet
	flushing bool
	samples  int // samples added
}

// Add settles a sample.
func (g *collector) Add(ctx context.Context, it *item) (*batch.Batch, bool, error) {
	if it.placed {
		it.placed = false
		done, err := g.assembly.add(ctx, it)
		g.ready = append(g.ready, done...)
		if err != nil {
			return nil, false, err
		}
		g.samples++
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
func (g *collector) Flush(ctx context.Context) (*batch.Batch, bool, error) {
	if !g.flushing && g.assembly != nil {
		done, err := g.assembly.end(ctx, g.epoch)
		if err != nil {
			return nil, false, err
		}
		g.ready = append(g.ready, done...)
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
