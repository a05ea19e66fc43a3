package pipe

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// Bytes is a budget that counts bytes and holds none. Those who wait are served in the order in which
// they came, so that a large item is not overtaken for ever. It is safe for concurrent use.
type Bytes struct {
	mu      sync.Mutex
	ceiling int
	out     int
	waiting list.List // of *claim
}

// claim is a wait for bytes.
type claim struct {
	n       int
	granted chan struct{}
}

// NewBytes makes a budget of so many bytes. Who wants more gets it when nobody else has any.
func NewBytes(ceiling int) *Bytes { return &Bytes{ceiling: ceiling} }

// Share is what was taken from Bytes.
type Share struct {
	from *Bytes
	n    int
	back atomic.Bool
}

// Get waits until n bytes are free, or until ctx ends.
func (b *Bytes) Get(ctx context.Context, n int) (*Share, error) {
	b.mu.Lock()
	if b.waiting.Len() == 0 && b.take(n) {
		b.mu.Unlock()
		return &Share{from: b, n: n}, nil
	}
	c := &claim{n: n, granted: make(chan struct{})}
	e := b.waiting.PushBack(c)
	b.mu.Unlock()
	select {
	case <-c.granted:
		return &Share{from: b, n: n}, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.granted: // meanwhile
		return &Share{from: b, n: n}, nil
	default:
		b.waiting.Remove(e)
		b.serve() // those behind it may want less
		return nil, ctx.Err()
	}
}

// take is true if there are n bytes. The caller holds the lock.
func (b *Bytes) take(n int) bool {
	if b.out > 0 && b.out+n > b.ceiling {
		return false
	}
	b.out += n
	return true
}

// serve grants what can be granted, in order. The caller holds the lock.
func (b *Bytes) serve() {
	for e := b.waiting.Front(); e != nil; e = b.waiting.Front() {
		c := e.Value.(*claim)
		if !b.take(c.n) {
			return
		}
		b.waiting.Remove(e)
		close(c.granted)
	}
}

// Resize sets the ceiling. What is out above it stays out.
func (b *Bytes) Resize(ceiling int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ceiling = ceiling
	b.serve()
}

// Out is how many bytes are taken.
func (b *Bytes) Out() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out
}

// Release gives the bytes back. Once is enough, and twice panics.
func (s *Share) Release() {
	if s.back.Swap(true) {
		panic("pipe: a share of bytes was released twice")
	}
	s.from.mu.Lock()
	defer s.from.mu.Unlock()
	s.from.out -= s.n
	s.from.serve()
}
