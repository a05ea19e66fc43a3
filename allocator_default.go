//go:build !race

package spool

func defaultAllocator() Allocator { return Mmap{} }
