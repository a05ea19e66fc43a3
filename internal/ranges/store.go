package ranges

import (
	"container/list"
	"sync"

	"github.com/spoolmedia/spool"
)

// Store keeps ranges of any number of objects in the memory of a pool. It is safe for concurrent use.
type Store struct {
	pool    *spool.Pool
	most    int64          // the pool's ceiling
	running sync.WaitGroup // requests in flight

	mu    sync.Mutex // also guards the segments of all objects
	clock int64      // counts uses of segments

	// Segments that are not in use, the least recently used at the back: those promised to no reader, read-ahead, and
	// planned ranges.
	free, unread, planned list.List
}

// NewStore returns a store with memory from a pool, which is lent until all objects are closed. No one may wait for
// memory of the pool: see the package.
func NewStore(pool *spool.Pool) *Store { return &Store{pool: pool, most: pool.Stats().MaxBytes} }

// Bytes returns how much memory is in use, rounded up to the pool's size classes.
func (s *Store) Bytes() int64 { return s.pool.Stats().Use[spool.Ranges].Bytes }

// Close waits for the requests in flight of all objects, and releases all memory. There must be no concurrent reads.
func (s *Store) Close() {
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, queue := range []*list.List{&s.free, &s.unread, &s.planned} {
		for queue.Len() > 0 {
			drop(queue.Back())
		}
	}
}

// drop removes the segment of a list's element.
func drop(e *list.Element) {
	x, _ := e.Value.(*segment)
	x.of.drop(x)
}

// Get returns a buffer of n bytes for [Blocks.Add], or nil if there is no memory.
func (s *Store) Get(n int) *spool.Buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(int64(n), true)
}

// take returns a buffer, or nil if there is no memory. It evicts free segments, and unread ones if a reader waits. The
// caller has the lock.
func (s *Store) take(n int64, waited bool) *spool.Buffer {
	if n > s.most {
		return nil
	}
	for {
		if b, ok := s.pool.TryGet(int(n), spool.Ranges); ok {
			return b
		}
		oldest := s.free.Back()
		if oldest == nil && waited {
			oldest = s.unread.Back()
		}
		if oldest == nil {
			return nil
		}
		drop(oldest)
	}
}
