package spool

import (
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool/internal/invariants"
)

// Buffer is a run of bytes from a Pool, with a description and a reference count.
//
// It starts with one reference, its creator's. Each holder calls Release once; the last one gives
// the bytes back to the pool. Releasing more often panics in every build. In builds with invariants
// (tag "invariants", or the race detector) touching a released buffer panics as well, and freed
// bytes are overwritten.
//
// The methods are safe for concurrent use as long as the caller holds a reference; SetDesc and the
// bytes themselves are not guarded.
type Buffer struct {
	pool    *Pool
	block   []byte // the whole block; Bytes shows the first n of it
	n       int
	purpose Purpose
	desc    Desc
	refs    atomic.Int32
	exempt  bool // the pool's, under its lock
}

// Bytes is the buffer's memory, valid until the caller's Release. Its capacity equals its length. It begins
// at a multiple of 64 bytes.
func (b *Buffer) Bytes() []byte {
	b.check()
	return b.block[:b.n:b.n]
}

// Len is the number of bytes.
func (b *Buffer) Len() int { return b.n }

// Desc says what lies in the buffer. A buffer fresh from the pool is flat uint8 of its length.
func (b *Buffer) Desc() Desc {
	b.check()
	return b.desc
}

// SetDesc describes the buffer anew. It panics when the description needs more bytes than there are.
func (b *Buffer) SetDesc(d Desc) {
	b.check()
	if n, ok := d.Bytes(); !ok || n > b.n {
		panic(fmt.Sprintf("spool: a buffer of %d bytes cannot hold %v", b.n, d))
	}
	b.desc = d
}

// Retain adds a reference and returns b. It panics on a buffer that has none left: a buffer that
// went back to its pool cannot be brought back.
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

// Release drops one reference; the last one returns the memory to the pool.
func (b *Buffer) Release() {
	switch refs := b.refs.Add(-1); {
	case refs > 0:
	case refs == 0:
		b.pool.put(b)
	default:
		panic("spool: Buffer released more often than it was held")
	}
}

// Exempt takes the buffer out of what its pool's ceiling counts, until its memory goes back: for whoever hands it to somebody
// who may keep any number, and who would otherwise hold up what the pool is for. Memory is then as large as what is kept.
func (b *Buffer) Exempt() {
	b.check()
	b.pool.except(b)
}

// Shrink leaves the first n bytes of the buffer, flat uint8, for a result that turned out smaller than
// expected. The memory of the others is given back with theirs. It panics when there are fewer than n.
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
