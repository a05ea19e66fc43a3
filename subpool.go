package spool

import (
	"context"
	"sync"
)

// Sub returns a pool of n bytes of p's ceiling. It waits for them as Get does, in the order of the calls. They count as
// in use in p, under purpose, until the returned pool is closed and its buffers are released. It is for users that must
// be certain of their memory before they begin, and that take it later in buffers of unknown size. Both pools reuse the
// same memory.
//
// The caller MUST close the returned pool, and before p. Errors are those of Get.
func (p *Pool) Sub(ctx context.Context, n int64, purpose Purpose) (*Pool, error) {
	if n <= 0 || n > p.maxBuffer || int64(int(n)) != n {
		return nil, p.tooLarge(n)
	}
	if _, err := p.take(ctx, &waiter{class: int(n), room: true}); err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.use[purpose].Buffers++
	p.use[purpose].Bytes += n
	p.mu.Unlock()
	return NewPool(PoolOptions{MaxBytes: n, Allocator: &room{pool: p, n: n, purpose: purpose}})
}

// room is the allocator of a pool that Sub returned. It moves blocks between the two pools. The lock of the outer pool
// follows that of the inner one.
type room struct {
	pool    *Pool
	n       int64
	purpose Purpose

	mu     sync.Mutex
	blocks int  // in the inner pool
	closed bool // the inner pool is closed
	gone   bool // the bytes are back in the outer pool
}

// Alloc returns a block that the outer pool keeps, or a new one.
func (r *room) Alloc(n int) ([]byte, error) {
	block := r.pool.move(n)
	if block == nil {
		var err error
		if block, err = r.pool.store.allocator.Alloc(n); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	r.blocks++
	r.mu.Unlock()
	return block, nil
}

// Free lets the outer pool keep a block if it may. A closed pool's blocks take their share of the bytes with them.
func (r *room) Free(block []byte) error {
	r.mu.Lock()
	share := int64(0)
	if r.closed {
		share = min(int64(len(block)), r.n)
		r.n -= share
	}
	r.mu.Unlock()
	err := r.pool.moveBack(block, share, r.purpose)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blocks--
	r.settle()
	return err
}

// close marks the inner pool as closed. Its kept blocks are freed after that.
func (r *room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.settle()
}

// settle returns the bytes to the outer pool once there are no blocks. The caller has the lock.
func (r *room) settle() {
	if r.closed && !r.gone && r.blocks == 0 {
		r.gone = true
		r.pool.rejoin(r.n, r.purpose)
		r.n = 0
	}
}

// move removes a kept block of a class, which a pool inside counts from now on. It returns nil if there is none.
func (p *Pool) move(class int) (block []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.store.free[class]) > 0 { // an allocator returns exactly what it is asked for
		p.reuses++
		p.held -= int64(class)
		block = p.remove(class)
	}
	return block
}

// moveBack keeps a block of a pool inside, or frees it. share of the bytes set aside for that pool end with it.
func (p *Pool) moveBack(block []byte, share int64, purpose Purpose) error {
	class := int64(len(block))
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.serve()
	p.held -= share
	p.use[purpose].Bytes -= share
	if p.store.closed || class > p.maxKept-p.kept || class > p.max-(p.held-p.exempt) {
		return p.store.allocator.Free(block)
	}
	p.keep(block)
	p.held += class
	p.peak = max(p.peak, p.held)
	return nil
}

// rejoin ends the use of a pool inside, with the rest of its bytes.
func (p *Pool) rejoin(n int64, purpose Purpose) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use[purpose].Buffers--
	p.use[purpose].Bytes -= n
	p.held -= n
	p.serve()
}
