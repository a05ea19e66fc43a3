package spool

import (
	"fmt"
	"syscall"
)

// Allocator is where a Pool gets its memory. Both methods must be safe for concurrent use.
type Allocator interface {
	// Alloc gives n bytes, n > 0, aligned to 64 bytes at least. Their contents are unspecified.
	Alloc(n int) ([]byte, error)
	// Free takes back exactly what Alloc gave.
	Free(block []byte) error
}

// Mmap allocates anonymous memory from the system: outside the Go heap, so that it counts in no
// garbage collection, page aligned, and given back to the system by Free.
type Mmap struct{}

// Alloc maps n bytes.
func (Mmap) Alloc(n int) ([]byte, error) {
	block, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: mmap of %d bytes: %w", ErrOutOfMemory, n, err)
	}
	return block, nil
}

// Free unmaps block.
func (Mmap) Free(block []byte) error { return syscall.Munmap(block) }

// GoHeap allocates from the Go heap. It is slower than Mmap for large blocks, but the race detector
// sees what happens in it: race builds use it by default.
type GoHeap struct{}

// Alloc makes a slice; the runtime aligns blocks of this size to a page.
func (GoHeap) Alloc(n int) ([]byte, error) { return make([]byte, n), nil }

// Free leaves block to the garbage collector.
func (GoHeap) Free([]byte) error { return nil }
