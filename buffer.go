package spool

import (
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool/internal/invariants"
)

// Buffer is contiguous memory from a Pool, with a description and a reference count.
//
// A buffer starts with one reference, which its creator owns. Each owner calls Release once, and the last Release
// returns the memory to the pool. Releasing more often panics in every build. In builds with invariants (tag
// "invariants", or the race detector), use of a released buffer panics too, and freed bytes are overwritten.
//
// The methods are safe for concurrent use while the caller has a reference. SetDesc and access to the bytes are not
// synchronized.
type Buffer struct {
	pool    *Pool
	block   []byte // the whole block; Bytes returns its first n bytes
	n       int
	purpose Purpose
	desc    Desc
	refs    atomic.Int32
	exempt  bool // guarded by the pool's lock
}

// Bytes returns the buffer's memory, valid until the caller's Release. Its capacity equals its length. It begins at a
// multiple of 64 bytes.
func (b *Buffer) Bytes() []byte {
	b.check()
	return b.block[:b.n:b.n]
}

// Len returns the number of bytes.
func (b *Buffer) Len() int { return b.n }

// Desc returns the description of the contents. A new buffer is flat uint8 of its length.
func (b *Buffer) Desc() Desc {
	b.check()
	return b.desc
}

// SetDesc replaces the description. It panics if d is invalid or needs more bytes than the buffer has.
func (b *Buffer) SetDesc(d Desc) {
	b.check()
	if n, ok := d.Bytes(); !ok || n > b.n {
		panic(fmt.Sprintf("spool: a buffer of %d bytes cannot hold %v", b.n, d))
	}
	b.desc = d
}

// Retain adds a reference and returns b. It panics if the buffer has no references: memory that was returned to the
// pool cannot be recovered.
func (b *Buffer) Retain() *Buffer {
	for {
		refs := b.refs.Load()
		if refs <= 0 {
			panic("spool: Retain of a released Buffer")
		}
		if b.refs.CompareAndSwap(refs, refs+1) {
			return b
		}
	}
}

// Release drops one reference. The last Release returns the memory to the pool.
func (b *Buffer) Release() {
	switch refs := b.refs.Add(-1); {
	case refs > 0:
	case refs == 0:
		b.pool.put(b)
	default:
		panic("spool: Buffer released more often than it was held")
	}
}

// Exempt removes the buffer from the bytes that count towards its pool's ceiling, until its memory returns to the pool.
// It is for buffers handed to a consumer that may keep any number of them and would otherwise block the pool's other
// users. The pool can then hold more than its ceiling. A second call does nothing.
func (b *Buffer) Exempt() {
	b.check()
	b.pool.exemptBuffer(b)
}

// Shrink reduces the buffer to its first n bytes, flat uint8, for a result that is smaller than expected. The remaining
// bytes return to the pool with the last Release, not earlier. Shrink panics if n is negative or more than Len.
func (b *Buffer) Shrink(n int) {
	b.check()
	if n < 0 || n > b.n {
		panic(fmt.Sprintf("spool: a buffer of %d bytes cannot shrink to %d", b.n, n))
	}
	b.n = n
	b.desc = Desc{Shape: Shape{n}}
}

func (b *Buffer) check() {
	if invariants.Enabled && b.refs.Load() <= 0 {
		panic("spool: use of a released Buffer")
	}
}
