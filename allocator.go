package spool

import (
	"fmt"
	"syscall"
)

// Allocator provides the memory of a Pool. Both methods must be safe for concurrent use.
type Allocator interface {
	// Alloc returns n bytes, n > 0, aligned to at least 64 bytes. Their contents are unspecified.
	Alloc(n int) ([]byte, error)
	// Free frees a block. block is exactly a slice that Alloc returned.
	Free(block []byte) error
}

// Mmap allocates anonymous, page-aligned memory from the system. The memory is outside the Go heap, so the garbage
// collector does not count it, and Free returns it to the system.
type Mmap struct{}

// Alloc maps n bytes. The error is ErrOutOfMemory.
func (Mmap) Alloc(n int) ([]byte, error) {
	block, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: mmap of %d bytes: %w", ErrOutOfMemory, n, err)
	}
	return block, nil
}

// Free unmaps block.
func (Mmap) Free(block []byte) error { return syscall.Munmap(block) }

// GoHeap allocates from the Go heap. It is slower than Mmap for large blocks, but the race detector checks accesses to
// its memory. Race builds use it by default.
type GoHeap struct{}

// Alloc makes a slice of zeros. A Pool asks for multiples of 4 KiB, which the runtime aligns to a page.
func (GoHeap) Alloc(n int) ([]byte, error) { return make([]byte, n), nil }

// Free leaves block to the garbage collector.
func (GoHeap) Free([]byte) error { return nil }
