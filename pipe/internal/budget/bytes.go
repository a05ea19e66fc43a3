package budget

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// Bytes is a number of bytes that several users share. It only counts them. Waiters are served in the order of their
// calls, so a large item cannot be overtaken indefinitely. It is safe for concurrent use.
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

// New returns a budget of ceiling bytes. A larger request is granted when all bytes are free.
func New(ceiling int) *Bytes { return &Bytes{ceiling: ceiling} }

// Lease is a number of bytes reserved from a budget.
type Lease struct {
	from *Bytes
	n    int
	back atomic.Bool
}

// Get waits until n bytes are free, or until ctx ends.
func (b *Bytes) Get(ctx context.Context, n int) (*Lease, error) {
	b.mu.Lock()
	if b.waiting.Len() == 0 && b.take(n) {
		b.mu.Unlock()
		return &Lease{from: b, n: n}, nil
	}
	c := &claim{n: n, granted: make(chan struct{})}
	e := b.waiting.PushBack(c)
	b.mu.Unlock()
	select {
	case <-c.granted:
		return &Lease{from: b, n: n}, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-c.granted: // granted meanwhile
		return &Lease{from: b, n: n}, nil
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

// InUse returns how many bytes are reserved.
func (b *Bytes) InUse() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out
}

// Release returns the bytes. It must be called once; a second call panics.
func (l *Lease) Release() {
	if l.back.Swap(true) {
		panic("budget: a lease was released twice")
	}
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	l.from.out -= l.n
	l.from.serve()
}
