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

// Alignment is that of every block, in bytes: a cache line, and enough for any vector load.
const Alignment = 64

// No block may be larger: nothing here needs it, and sanitizers abort where malloc would fail.
const limit = 1 << 36

// Usage is what one purpose holds.
type Usage struct {
	Blocks int64
	Bytes  int64 // as asked for
}

// The counters belong to the process, as the C heap does.
var blocks, bytes [purposes]atomic.Int64

// Alloc gives n zeroed bytes, owned by the caller. It fails with spool.ErrOutOfMemory when the system
// has no more, and panics when n is not positive. It costs one C call for malloc.
func Alloc(purpose Purpose, n int) (unsafe.Pointer, error) {
	if n <= 0 {
		panic(fmt.Sprintf("mem: allocation of %d bytes", n))
	}
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes of C memory", spool.ErrOutOfMemory, n)
	}
	size := (n + Alignment - 1) / Alignment * Alignment // aligned_alloc takes multiples only
	p := C.aligned_alloc(Alignment, C.size_t(size))
	if p == nil {
		return nil, fmt.Errorf("%w: %d bytes of C memory", spool.ErrOutOfMemory, n)
	}
	clear(unsafe.Slice((*byte)(p), size))
	blocks[purpose].Add(1)
	bytes[purpose].Add(int64(n))
	return p, nil
}

// Free takes back a block of n bytes that Alloc gave for the same purpose. nil is ignored.
func Free(purpose Purpose, p unsafe.Pointer, n int) {
	if p == nil {
		return
	}
	if blocks[purpose].Add(-1) < 0 || bytes[purpose].Add(int64(-n)) < 0 {
		panic(fmt.Sprintf("mem: more %v memory freed than was allocated", purpose))
	}
	C.free(p)
}

// InUse is the number of bytes in use for all purposes.
func InUse() int64 {
	var sum int64
	for i := range bytes {
		sum += bytes[i].Load()
	}
	return sum
}

// Stats is what is in use, by purpose; purposes that hold nothing are left out. Counters are read one
// by one: a snapshot taken while others allocate need not be of one instant.
func Stats() map[Purpose]Usage {
	stats := map[Purpose]Usage{}
	for purpose := range purposes {
		if u := (Usage{blocks[purpose].Load(), bytes[purpose].Load()}); u != (Usage{}) {
			stats[purpose] = u
		}
	}
	return stats
}
