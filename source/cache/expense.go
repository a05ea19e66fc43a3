package cache

import (
	"sync"
	"time"
)

// expense estimates the cost of reads of one object. A reader of package object prefetches blocks, so a read may find
// its bytes in memory. A later process would need a request for them. So such a read costs the mean of the reads that
// waited for the store.
type expense struct {
	mu     sync.Mutex
	waited time.Duration
	reads  int64 // number of reads that waited
}

// cheap is the longest time of a read from memory.
const cheap = 100 * time.Microsecond

// of returns the cost of a read of the given duration. It is at most cheap if no read of the object has waited yet.
func (e *expense) of(took time.Duration) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if took > cheap {
		e.waited += took
		e.reads++
		return took
	}
	if e.reads == 0 {
		return took
	}
	return e.waited / time.Duration(e.reads)
}
