package source

import (
	"context"
	"slices"
	"sync"
)

// Unpacked is decompressed data, shards or parts of manifests, of which those used last are kept. Who reads what had to
// go keeps it in memory until it is read. It is safe for concurrent use.
type Unpacked struct {
	limit int64

	mu    sync.Mutex
	used  int64
	kept  []*unpack // the last used at the end
	under map[any]*unpack
}

// unpack is data that was asked for, once done is closed.
type unpack struct {
	key  any
	done chan struct{}
	data []byte
	err  error
}

// NewUnpacked keeps so many bytes.
func NewUnpacked(limit int64) *Unpacked {
	return &Unpacked{limit: limit, under: map[any]*unpack{}}
}

// Limit is how many bytes are kept, and so the most that one piece may have.
func (u *Unpacked) Limit() int64 { return u.limit }

// Get gives what was kept under the key, or what make makes, which is not to be changed. What is being made is waited
// for; where who makes it fails, the next in line makes it.
func (u *Unpacked) Get(ctx context.Context, key any, make func(context.Context) ([]byte, error)) ([]byte, error) {
	for {
		p, mine := u.claim(key)
		if mine {
			p.data, p.err = make(ctx)
			u.settle(p)
			return p.data, p.err
		}
		select {
		case <-ctx.Done():
			return nil, fail("open", "", ctx.Err())
		case <-p.done:
		}
		if p.err == nil {
			return p.data, nil
		}
	}
}

// claim gives what is kept or under way, or a piece for the caller to make.
func (u *Unpacked) claim(key any) (p *unpack, mine bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.IndexFunc(u.kept, func(p *unpack) bool { return p.key == key }); i >= 0 {
		p := u.kept[i]
		u.kept = append(slices.Delete(u.kept, i, i+1), p)
		return p, false
	}
	if p := u.under[key]; p != nil {
		return p, false
	}
	p = &unpack{key: key, done: make(chan struct{})}
	u.under[key] = p
	return p, true
}

// settle keeps what was made, if it was, and lets go of what was used least lately.
func (u *Unpacked) settle(p *unpack) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.under, p.key)
	close(p.done)
	if p.err != nil {
		return
	}
	u.kept = append(u.kept, p)
	u.used += int64(len(p.data))
	for u.used > u.limit {
		u.used -= int64(len(u.kept[0].data))
		u.kept = slices.Delete(u.kept, 0, 1)
	}
}
