//go:build race

package spool

// The race detector does not check mapped memory.
func defaultAllocator() Allocator { return GoHeap{} }
