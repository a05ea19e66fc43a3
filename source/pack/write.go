package pack

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

// Options say how samples are packed. The zero value packs 1,000 samples a shard in the source's order.
type Options struct {
	// PerShard is the number of samples of each shard but the last, which has the rest. 0 means 1,000.
	PerShard int
	// Shuffle packs in the order order.NewPermutation(n, Seed, 0).
	Shuffle bool
	Seed    uint64
	// Workers is the number of shards written at a time. 0 means one for each CPU. The bytes do not depend on it.
	Workers int
}

func (o Options) perShard() int {
	if o.PerShard == 0 {
		return 1000
	}
	return o.PerShard
}

func (o Options) validate() error {
	var bad invalid.Options
	if o.PerShard < 0 {
		bad.Value("PerShard", o.PerShard, "must not be negative")
	}
	if o.Workers < 0 {
		bad.Value("Workers", o.Workers, "must not be negative")
	}
	return bad.Err()
}

// Write packs the samples of a source into a folder, or continues to. It returns the manifest that it wrote there.
// Source files must not change between calls that continue.
func Write(ctx context.Context, src source.Source, folder string, o Options) (*Manifest, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	unlock, err := lock(folder)
	if err != nil {
		return nil, err
	}
	defer unlock()
	p := newPlan(src, o)
	if err := p.begin(folder); err != nil {
		return nil, err
	}
	w := &packer{plan: p, src: src, folder: folder, order: order.Sequential(src.Len())}
	if o.Shuffle {
		w.order = order.NewPermutation(src.Len(), o.Seed, 0)
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	m := &Manifest{Plan: p, Shards: make([]Shard, p.shards())}
	if err := w.all(ctx, workers, m.Shards); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, save(folder, manifestFile, append(text, '\n'))
}

// packer writes the shards of a plan.
type packer struct {
	plan   Plan
	src    source.Source
	folder string
	order  order.Sampler
}

// all packs every shard, several at a time. The first error stops all workers.
func (w *packer) all(ctx context.Context, workers int, shards []Shard) error {
	group, running := errgroup.WithContext(ctx)
	var taken atomic.Int64
	for range min(workers, len(shards)) {
		group.Go(func() error {
			buffer := make([]byte, 1<<20)
			for i := int(taken.Add(1)) - 1; i < len(shards) && running.Err() == nil; i = int(taken.Add(1)) - 1 {
				var err error
				if shards[i], err = w.shard(running, i, buffer); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil { // so the error of a worker is that it was stopped
		return &spool.Error{Op: "pack", File: spool.Redacted(w.folder), Class: spool.ClassOf(ctx.Err()),
			Err: context.Cause(ctx)}
	}
	return err
}

// shard packs one shard, or measures the finished one.
func (w *packer) shard(ctx context.Context, i int, buffer []byte) (Shard, error) {
	path := filepath.Join(w.folder, w.plan.name(i))
	from := i * w.plan.PerShard
	to := min(from+w.plan.PerShard, w.plan.Samples)
	if _, err := os.Stat(path); err == nil {
		s, err := measure(ctx, path, buffer)
		s.Samples = to - from
		return s, err
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Shard{}, spool.FileError("read", path, err)
	}
	t, err := create(path)
	if err != nil {
		return Shard{}, err
	}
	for at := from; at < to; at++ {
		if err := t.sample(ctx, w.src, w.order.At(at), at, buffer); err != nil {
			t.discard()
			return Shard{}, err
		}
	}
	s, err := t.finish()
	s.Samples = to - from
	return s, err
}
