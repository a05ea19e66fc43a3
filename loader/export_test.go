package loader

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Files returns the counters of the pool of compressed bytes.
func (l *Loader) Files() spool.PoolStats { return l.files.Stats() }

// Slabs returns the counters of the pool of batches.
func (l *Loader) Slabs() spool.PoolStats { return l.slabs.Stats() }

// Input returns the decoder's input for sample i. Its bytes are in memory until release is called.
func (l *Loader) Input(ctx context.Context, i int) (in spool.Object, release func(), err error) {
	it := &item{pick: pick{index: i}}
	for _, step := range []func(context.Context, *item) error{l.locate, l.reserve, l.fetch} {
		if err := step(ctx, it); err != nil {
			it.drop()
			return in, nil, err
		}
	}
	return it.input(), it.drop, nil
}

// Singles returns the counters of the pool of samples that differ in size.
func (l *Loader) Singles() spool.PoolStats { return l.assembly.(loose).singles.Stats() }
