package spool

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spoolmedia/spool/internal/invariants"
)

// PoolOptions are a pool's settings.
type PoolOptions struct {
	// MaxBytes is the ceiling for all memory of the pool, in use or kept for reuse, except for MaxBuffer and
	// Buffer.Exempt. 0 means 1 GiB. A negative value is ErrOptions.
	MaxBytes int64
	// MaxBuffer allows a single buffer of more than MaxBytes, up to this size, while no other memory of the pool is in
	// use. Both are compared with size classes: see Pool. 0 means none beyond MaxBytes. A negative value is ErrOptions.
	MaxBuffer int64
	// MaxKept limits the memory kept for reuse. Memory that is released beyond it goes back to the allocator. 0 means
	// MaxBytes. A negative value is ErrOptions.
	MaxKept int64
	// Allocator provides the memory. nil means Mmap, and GoHeap under the race detector.
	Allocator Allocator
}

// Pool returns buffers under a hard ceiling in bytes, and keeps released memory for reuse.
//
// At the ceiling, Get blocks until enough memory is released: this is the back-pressure of a pipeline. Waiters are
// served in the order of their calls.
//
// Memory is kept in size classes, which are at most a quarter larger than the requested size; up to 16 KiB they are
// whole pages. The blocks of a class are reused in the order in which they were released, so that all of them are
// touched early: see Reserve. A request of a class without a kept block gets one of at most twice the size, if there is
// one. So the pool holds about twice what was ever in use at a time, also for sizes that vary. At the ceiling, the
// blocks that have been kept longest are freed.
//
// A Pool is safe for concurrent use. Get and Release together cost less than a microsecond: three locks and three small
// allocations.
type Pool struct {
	max       int64
	maxBuffer int64 // at least max
	maxKept   int64

	mu      sync.Mutex
	store   *store
	kept    int64     // bytes in store.free
	held    int64     // bytes in use and kept
	exempt  int64     // bytes in use that do not count towards the ceiling
	peak    int64     // highest held
	waiters list.List // of *waiter, first in, first out
	gets    int64
	waits   int64
	reuses  int64
	use     [purposes]Usage
}

// waiter is a blocked Get or Sub. serve hands it a kept block, or reserves room for a new one, and then closes ready.
type waiter struct {
	class int
	room  bool // it needs no block
	block []byte
	err   error
	ready chan struct{}
}

// NewPool returns a pool. It allocates nothing: the first Get does.
func NewPool(o PoolOptions) (*Pool, error) {
	if o.MaxBytes < 0 || o.MaxBuffer < 0 || o.MaxKept < 0 {
		return nil, &OptionError{Options: []Option{{"MaxBytes", o.MaxBytes}, {"MaxBuffer", o.MaxBuffer},
			{"MaxKept", o.MaxKept}}, Text: "must not be negative"}
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxKept == 0 {
		o.MaxKept = o.MaxBytes
	}
	if o.Allocator == nil {
		o.Allocator = defaultAllocator()
	}
	p := &Pool{max: o.MaxBytes, maxBuffer: max(o.MaxBytes, o.MaxBuffer), maxKept: o.MaxKept,
		store: &store{allocator: o.Allocator, free: map[int][]kept{}}}
	runtime.AddCleanup(p, (*store).forget, p.store)
	return p, nil
}

// Get returns a buffer of n bytes, owned by the caller, with unspecified contents. It waits while the pool is at its
// ceiling, and returns ctx's error if ctx ends first. It fails at once with ErrTooLarge if the size class of n is above
// MaxBytes and MaxBuffer, or n is negative; with ErrClosed if the pool is closed; and with the allocator's error.
func (p *Pool) Get(ctx context.Context, n int) (*Buffer, error) { return p.GetFor(ctx, n, Other) }

// GetFor is Get for a buffer that is counted under a purpose.
func (p *Pool) GetFor(ctx context.Context, n int, purpose Purpose) (*Buffer, error) {
	class := classOf(n)
	if n < 0 || class < n || int64(class) > p.maxBuffer { // the class of a huge n overflows
		return nil, p.tooLarge(int64(n))
	}
	block, err := p.take(ctx, &waiter{class: class})
	if err != nil {
		return nil, err
	}
	return p.buffer(block, class, n, purpose)
}

func (p *Pool) tooLarge(n int64) error {
	return &Error{Op: "allocate", Class: ErrTooLarge,
		Text: fmt.Sprintf("%d bytes are more than the pool's ceiling of %d", n, p.maxBuffer)}
}

// TryGet is GetFor for callers that can continue without the memory. It never waits, and never overtakes a caller that
// waits: it returns false where GetFor would wait or fail.
func (p *Pool) TryGet(n int, purpose Purpose) (*Buffer, bool) {
	class := classOf(n)
	if n < 0 || class < n {
		return nil, false
	}
	w := &waiter{class: class}
	p.mu.Lock()
	ok := !p.store.closed && p.waiters.Len() == 0 && p.tryTake(w)
	if ok {
		p.gets++
	}
	p.mu.Unlock()
	if !ok {
		return nil, false
	}
	b, err := p.buffer(w.block, class, n, purpose)
	return b, err == nil
}

// buffer returns a buffer in a block, which it allocates if room for it is only reserved.
func (p *Pool) buffer(block []byte, class, n int, purpose Purpose) (_ *Buffer, err error) {
	if block == nil {
		if block, err = p.store.allocator.Alloc(class); err != nil {
			p.unreserve(class)
			return nil, err
		}
	}
	b := &Buffer{pool: p, block: block, n: n, purpose: purpose, desc: Desc{Shape: Shape{n}}}
	b.refs.Store(1)
	p.mu.Lock()
	p.use[purpose].Buffers++
	p.use[purpose].Bytes += int64(len(block))
	p.mu.Unlock()
	return b, nil
}

// Reserve allocates memory for count buffers of n bytes now, or for as many as the ceiling and MaxKept allow, and keeps
// it for reuse. The program then holds its peak memory from the beginning. With Mmap this is address space, which the
// system fills on first touch. An error is the allocator's.
func (p *Pool) Reserve(n, count int) error {
	class := classOf(n)
	for range count {
		p.mu.Lock()
		fits := !p.store.closed && int64(class) <= p.max-(p.held-p.exempt)
		if fits {
			p.held += int64(class)
			p.peak = max(p.peak, p.held)
		}
		p.mu.Unlock()
		if !fits {
			return nil
		}
		block, err := p.store.allocator.Alloc(class)
		p.mu.Lock()
		p.giveBack(block, class) // or cancels the reservation if block is nil
		p.serve()
		p.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// take waits until w is served. It returns a kept block of its class, or nil with room reserved for a new one.
func (p *Pool) take(ctx context.Context, w *waiter) ([]byte, error) {
	p.mu.Lock()
	if p.store.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	p.gets++
	if p.waiters.Len() == 0 && p.tryTake(w) {
		p.mu.Unlock()
		return w.block, nil
	}
	p.waits++
	w.ready = make(chan struct{})
	elem := p.waiters.PushBack(w)
	p.mu.Unlock()

	select {
	case <-w.ready:
		return w.block, w.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	select {
	case <-w.ready: // served in the meantime: give it back
		if w.err == nil {
			p.giveBack(w.block, w.class)
		}
	default:
		p.waiters.Remove(elem)
	}
	p.serve() // the next waiter may fit
	p.mu.Unlock()
	return nil, ctx.Err()
}

// tryTake gives w a kept block, or reserves room, without waiting. The caller has the lock.
func (p *Pool) tryTake(w *waiter) bool {
	class := int64(w.class)
	if !w.room {
		if w.block = p.reuse(w.class); w.block != nil {
			return true
		}
	}
	counted := p.held - p.exempt
	inUse := counted - p.kept
	if class > p.max-inUse && (inUse > 0 || class > p.maxBuffer) {
		return false
	}
	p.evict(class - (p.max - counted))
	p.held += class
	p.peak = max(p.peak, p.held)
	return true
}

// reuse takes a kept block of a class, or of the next one that has some and is at most twice as large. The block still
// counts as held. It returns nil if there is none. The caller has the lock.
func (p *Pool) reuse(class int) []byte {
	for c := class; c <= 2*class; c = classOf(c + 1) {
		if len(p.store.free[c]) > 0 {
			p.reuses++
			return p.remove(c)
		}
	}
	return nil
}

// remove removes the block of a class that has been kept longest. The caller has the lock.
func (p *Pool) remove(class int) []byte {
	blocks := p.store.free[class]
	block := blocks[0].bytes
	p.store.free[class] = slices.Delete(blocks, 0, 1)
	p.kept -= int64(class)
	return block
}

// keep keeps a block for reuse, which counts as held already. The caller has the lock.
func (p *Pool) keep(block []byte) {
	p.store.puts++
	p.store.free[len(block)] = append(p.store.free[len(block)], kept{block, p.store.puts})
	p.kept += int64(len(block))
}

// evict frees the blocks that have been kept longest until at least n bytes are freed, or all. The caller has the lock.
func (p *Pool) evict(n int64) {
	for n > 0 && p.kept > 0 {
		oldest, since := 0, int64(math.MaxInt64)
		for class, blocks := range p.store.free {
			if len(blocks) > 0 && blocks[0].since < since {
				oldest, since = class, blocks[0].since
			}
		}
		p.drop(p.remove(oldest))
		n -= int64(oldest)
	}
}

// drop returns a block to the allocator. The caller has the lock.
func (p *Pool) drop(block []byte) {
	p.held -= int64(len(block))
	if err := p.store.allocator.Free(block); err != nil {
		panic(fmt.Sprintf("spool: freeing %d bytes: %v", len(block), err)) // the allocator broke its contract
	}
}

// serve gives room to waiters in order, until the first one does not fit. The caller has the lock.
func (p *Pool) serve() {
	for first := p.waiters.Front(); first != nil; first = p.waiters.Front() {
		w := first.Value.(*waiter)
		if !p.tryTake(w) {
			return
		}
		p.waiters.Remove(first)
		close(w.ready)
	}
}

// giveBack keeps a block for reuse, or cancels a reservation if block is nil. The caller has the lock.
func (p *Pool) giveBack(block []byte, class int) {
	switch {
	case block == nil:
		p.held -= int64(class)
	case p.store.closed, int64(len(block)) > p.maxKept-p.kept, p.held-p.exempt > p.max:
		p.drop(block)
	default:
		p.keep(block)
	}
}

func (p *Pool) unreserve(class int) {
	p.mu.Lock()
	p.giveBack(nil, class)
	p.serve()
	p.mu.Unlock()
}

// exemptBuffer removes a buffer from the bytes that count towards the ceiling.
func (p *Pool) exemptBuffer(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !b.exempt {
		b.exempt = true
		p.exempt += int64(len(b.block))
		p.serve()
	}
}

// put takes back the block of a released buffer.
func (p *Pool) put(b *Buffer) {
	invariants.Poison(b.block)
	p.mu.Lock()
	p.use[b.purpose].Buffers--
	p.use[b.purpose].Bytes -= int64(len(b.block))
	if b.exempt {
		p.exempt -= int64(len(b.block))
	}
	p.giveBack(b.block, len(b.block))
	p.serve()
	p.mu.Unlock()
}

// Trim frees all memory that is kept for reuse.
func (p *Pool) Trim() {
	p.mu.Lock()
	p.evict(p.kept)
	p.mu.Unlock()
}

// Close frees the kept memory. Waiting and later calls of Get fail with ErrClosed. Buffers in use stay valid, and their
// last Release frees them. In this case Close returns ErrLeaked with the number of buffers by purpose. A second Close
// does the same again.
func (p *Pool) Close() error {
	if r, ok := p.store.allocator.(*room); ok {
		r.close()
	}
	p.mu.Lock()
	p.store.closed = true
	p.evict(p.kept)
	for e := p.waiters.Front(); e != nil; e = p.waiters.Front() {
		w := p.waiters.Remove(e).(*waiter)
		w.err = ErrClosed
		close(w.ready)
	}
	p.mu.Unlock()
	stats := p.Stats()
	if stats.Buffers == 0 {
		return nil
	}
	var held []string
	for purpose := range purposes {
		if u, ok := stats.Use[purpose]; ok {
			held = append(held, fmt.Sprintf("%d %v buffers of %d bytes", u.Buffers, purpose, u.Bytes))
		}
	}
	return errors.Join(ErrLeaked, errors.New(strings.Join(held, ", ")))
}

// classOf returns the size of the block for n bytes. Classes are multiples of a page up to 16 KiB, then four classes
// per doubling. All classes are multiples of a page.
func classOf(n int) int {
	const page, small = 4096, 16384
	if n <= small {
		return max((n+page-1)/page, 1) * page
	}
	step := 1 << (bits.Len(uint(n-1)) - 3)
	return (n + step - 1) / step * step
}
