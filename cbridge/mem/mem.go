package mem

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Alignment is the alignment of every block in bytes: a cache line, and enough for any vector load.
const Alignment = 64

// limit is the maximum size of a block. No caller needs more. It also serves sanitizers, which abort the process where
// malloc would return NULL.
const limit = 1 << 36

// Usage is the memory in use for one purpose.
type Usage struct {
	Blocks int64
	Bytes  int64 // as requested, without padding
}

// The counters are global to the process, like the C heap.
var blocks, bytes [purposes]atomic.Int64

// Alloc allocates n zeroed bytes, owned by the caller. It fails with spool.ErrOutOfMemory if the system has no memory
// or if n exceeds 64 GiB. It panics if n is not positive. It costs one C call for malloc.
func Alloc(purpose Purpose, n int) (unsafe.Pointer, error) {
	if n <= 0 {
		panic(fmt.Sprintf("mem: allocation of %d bytes", n))
	}
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes of C memory", spool.ErrOutOfMemory, n)
	}
	size := (n + Alignment - 1) / Alignment * Alignment // aligned_alloc accepts only multiples
	p := C.aligned_alloc(Alignment, C.size_t(size))
	if p == nil {
		return nil, fmt.Errorf("%w: %d bytes of C memory", spool.ErrOutOfMemory, n)
	}
	clear(unsafe.Slice((*byte)(p), size))
	blocks[purpose].Add(1)
	bytes[purpose].Add(int64(n))
	return p, nil
}

// Free releases a block of n bytes that Alloc returned for the same purpose. It ignores nil.
func Free(purpose Purpose, p unsafe.Pointer, n int) {
	if p == nil {
		return
	}
	if blocks[purpose].Add(-1) < 0 || bytes[purpose].Add(int64(-n)) < 0 {
		panic(fmt.Sprintf("mem: more %v memory freed than was allocated", purpose))
	}
	C.free(p)
}

// InUse returns the number of bytes in use for all purposes.
func InUse() int64 {
	var sum int64
	for i := range bytes {
		sum += bytes[i].Load()
	}
	return sum
}

// Stats returns the memory in use by purpose, without purposes that use none. The counters are read one by one, so a
// snapshot is not atomic while others allocate.
func Stats() map[Purpose]Usage {
	stats := map[Purpose]Usage{}
	for purpose := range purposes {
		if u := (Usage{blocks[purpose].Load(), bytes[purpose].Load()}); u != (Usage{}) {
			stats[purpose] = u
		}
	}
	return stats
}
