package pipe

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// Bytes is a budget that only counts bytes. Waiters are served in the order of their calls, so a large item cannot be
// overtaken indefinitely. It is safe for concurrent use.
type Bytes struct {
	mu      sync.Mutex
	ceiling int
	out     int
	waiting list.List // of *claim
}

// claim is a waiting Get.
type claim struct {
	n       int
	granted chan struct{}
}

// NewBytes returns a budget of ceiling bytes. A larger request is granted when all bytes are free.
func NewBytes(ceiling int) *Bytes { return &Bytes{ceiling: ceiling} }

// Share is a number of bytes reserved from Bytes.
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
	case <-c.granted: // granted meanwhile
		return &Share{from: b, n: n}, nil
	default:
		b.waiting.Remove(e)
		b.serve() // the next waiters may need less
		return nil, ctx.Err()
	}
}

// take reserves n bytes if they are free. The caller has the lock.
func (b *Bytes) take(n int) bool {
	if b.out > 0 && b.out+n > b.ceiling {
		return false
	}
	b.out += n
	return true
}

// serve grants claims in order, as far as possible. The caller has the lock.
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

// Resize sets the ceiling. Bytes that are reserved beyond it stay reserved.
func (b *Bytes) Resize(ceiling int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ceiling = ceiling
	b.serve()
}

// Out returns how many bytes are reserved.
func (b *Bytes) Out() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out
}

// Release returns the bytes. It must be called once; a second call panics.
func (s *Share) Release() {
	if s.back.Swap(true) {
		panic("pipe: a share of bytes was released twice")
	}
	s.from.mu.Lock()
	defer s.from.mu.Unlock()
	s.from.out -= s.n
	s.from.serve()
}
