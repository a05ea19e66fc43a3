package source

import (
	"context"
	"slices"
	"sync"

	"github.com/spoolmedia/spool/source/shard"
)

// unpacked is decompressed shards, of which the last ones used are kept. Who reads one that had to go keeps it in memory
// until it is read.
type unpacked struct {
	limit int64

	mu    sync.Mutex
	used  int64
	kept  []*unpackedShard // the last used at the end
	under map[*shardFile]*unpackedShard
}

// unpackedShard is a shard, once done is closed.
type unpackedShard struct {
	file *shardFile
	done chan struct{}
	data shard.Memory
	err  error
}

func newUnpacked(limit int64) *unpacked {
	return &unpacked{limit: limit, under: map[*shardFile]*unpackedShard{}}
}

// get gives the contents of a shard. One that is being decompressed is waited for; where who did that gave up, the next
// in line does it.
func (u *unpacked) get(ctx context.Context, f *shardFile) (shard.Memory, error) {
	for {
		s, mine := u.claim(f)
		if mine {
			s.data, s.err = u.unpack(ctx, f)
			u.settle(s)
			return s.data, s.err
		}
		select {
		case <-ctx.Done():
			return nil, ended(ctx, "open", f.file)
		case <-s.done:
		}
		if s.err == nil {
			return s.data, nil
		}
	}
}

// claim gives the shard as it is kept or under way, or one for the caller to make.
func (u *unpacked) claim(f *shardFile) (s *unpackedShard, mine bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.IndexFunc(u.kept, func(s *unpackedShard) bool { return s.file == f }); i >= 0 {
		s := u.kept[i]
		u.kept = append(slices.Delete(u.kept, i, i+1), s)
		return s, false
	}
	if s := u.under[f]; s != nil {
		return s, false
	}
	s = &unpackedShard{file: f, done: make(chan struct{})}
	u.under[f] = s
	return s, true
}

// settle keeps what was made, if it was, and lets go of what was used least lately.
func (u *unpacked) settle(s *unpackedShard) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.under, s.file)
	close(s.done)
	if s.err != nil {
		return
	}
	u.kept = append(u.kept, s)
	u.used += s.data.Size()
	for u.used > u.limit {
		u.used -= u.kept[0].data.Size()
		u.kept = slices.Delete(u.kept, 0, 1)
	}
}

func (u *unpacked) unpack(ctx context.Context, f *shardFile) (shard.Memory, error) {
	o, err := f.place.open(f.file)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return shard.Decompress(ctx, o, f.compression, u.limit)
}
