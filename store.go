package spool

import "sync/atomic"

// store is where a pool's memory comes from and what it keeps of it. It is apart from the Pool so that
// it outlives one that is forgotten.
type store struct {
	allocator Allocator
	free      map[int][][]byte // blocks kept for reuse, by class
	closed    bool
}

// forgotten counts for the process, as its memory does.
var forgotten atomic.Int64

// ForgottenPools is how many pools were collected as garbage without Close: each is a bug of its owner,
// and tests fail on it. What such a pool kept was freed; buffers that were never released are lost.
func ForgottenPools() int64 { return forgotten.Load() }

// forget runs when nobody can reach the pool any more.
func (s *store) forget() {
	if s.closed {
		return
	}
	forgotten.Add(1)
	for _, kept := range s.free {
		for _, block := range kept {
			_ = s.allocator.Free(block) // there is nobody left to tell
		}
	}
}
