package spool

import "sync/atomic"

// store is a pool's allocator and its kept memory. It is separate from the Pool, so that it outlives a pool that
// becomes garbage.
type store struct {
	allocator Allocator
	free      map[int][]kept // blocks kept for reuse, by size class, the longest kept first
	puts      int64          // blocks that were kept so far
	closed    bool
}

// kept is a block that is kept for reuse.
type kept struct {
	bytes []byte
	since int64 // store.puts
}

// forgotten counts the pools of the process.
var forgotten atomic.Int64

// ForgottenPools returns how many pools became garbage without a Close. Each is a bug of its owner, and tests fail on
// it. The pool's kept memory was freed; buffers that were never released are lost.
func ForgottenPools() int64 { return forgotten.Load() }

// forget runs when the pool is unreachable. It frees the kept memory unless the pool was closed.
func (s *store) forget() {
	if s.closed {
		return
	}
	forgotten.Add(1)
	for _, blocks := range s.free {
		for _, block := range blocks {
			_ = s.allocator.Free(block.bytes) // no caller is left to return the error to
		}
	}
}
