//go:build race

package spool

// The race detector sees nothing in mapped memory.
func defaultAllocator() Allocator { return GoHeap{} }
