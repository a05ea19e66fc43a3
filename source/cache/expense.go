package cache

import (
	"sync"
	"time"
)

// expense is what a read of one object costs. A reader of package object fetches blocks ahead, so a read may find its bytes in memory.
// To get them again still takes a request: the cost of such a read is the mean of those that waited for the store.
type expense struct {
	mu     sync.Mutex
	waited time.Duration
	reads  int64 // that waited
}

// cheap is the longest time that a read from memory takes.
const cheap = 100 * time.Microsecond

// of is the cost of a read that took so long. It is at most cheap where no read of the object has waited yet.
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
