package object

import (
	"container/list"
	"context"
	"sync"

	"github.com/spoolmedia/spool"
)

const (
	// blockSize is the size of a request for a small read. At 50 MB/s it takes 3 ms, compared with tens of ms of latency.
	blockSize = 128 << 10
	// mostAhead is the most blocks that are prefetched: 8 MiB are enough for 160 MB/s at a latency of 50 ms.
	mostAhead = 64
	// together is the most blocks of one request: more are requested concurrently.
	together = 8
)

// blocks is a cache of parts of objects, for small reads of unknown readers: a directory of an archive, a footer. Its
// pool has one ceiling for all objects. The least recently used block of any object is evicted; if all blocks are in
// use, reads bypass the cache. Readers that know what they read next (demuxers, headers of shards) do not use it. They
// call ReadRange by way of internal/ranges, which prefetches those bytes and keeps them until they are read.
type blocks struct {
	pool *spool.Pool
	most int // in blocks; 0: no cache

	mu        sync.Mutex
	allocated int // blocks with memory, including dropped ones that are in use
	cached    map[blockKey]*block
	recent    list.List // of *block: the most recently used in front
}

type blockKey struct {
	object *Object
	index  int64
}

// block is a part of an object, either cached or in flight.
type block struct {
	blockKey
	buffer *spool.Buffer
	entry  *list.Element
	users  int // that wait for it, read it or write it: its memory stays as long as there are any

	done chan struct{} // closed when it has arrived or failed
	err  error
}

// newBlocks returns a cache of up to most bytes.
func newBlocks(most int64) (*blocks, error) {
	s := &blocks{cached: map[blockKey]*block{}, most: int(most / blockSize)}
	if s.most == 0 {
		return s, nil
	}
	var err error
	s.pool, err = spool.NewPool(spool.PoolOptions{MaxBytes: most})
	return s, err
}

// acquire returns blocks first to last of an object. It fetches those that are neither cached nor in flight, and up to
// ahead more after them. The caller passes the blocks to releaseAll. acquire returns nil if all memory for them is in
// use.
func (s *blocks) acquire(o *Object, first, last, ahead int64) []*block {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := make([]*block, 0, last-first+1)
	var fetch []*block
	for i := first; i <= last+ahead; i++ {
		b := s.cached[blockKey{o, i}]
		if b == nil {
			if b = s.add(blockKey{o, i}); b == nil {
				break
			}
			fetch = append(fetch, b)
		}
		if i <= last {
			b.users++
			s.recent.MoveToFront(b.entry)
			taken = append(taken, b)
		}
	}
	if len(taken) <= int(last-first) {
		for _, b := range fetch {
			s.drop(b)
			s.release(b) // in place of fetch, which does not run
		}
		for _, b := range taken {
			s.release(b)
		}
		return nil
	}
	for len(fetch) > 0 {
		n := 1
		for n < len(fetch) && n < together && fetch[n].index == fetch[n-1].index+1 {
			n++
		}
		run := fetch[:n]
		o.host.running.Go(func() { s.fetch(o, run) })
		fetch = fetch[n:]
	}
	return taken
}

// known returns how many of the blocks from first to last are cached or in flight, up to the first that is not.
func (s *blocks) known(o *Object, first, last int64) (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for first+n <= last && s.cached[blockKey{o, first + n}] != nil {
		n++
	}
	return n
}

// add adds a block that fetch fills. It evicts the least recently used one if necessary, and fails if all are in use.
func (s *blocks) add(at blockKey) *block {
	for old := s.recent.Back(); old != nil && s.allocated >= s.most; {
		b := old.Value.(*block)
		old = old.Prev()
		if b.users == 0 {
			s.drop(b)
		}
	}
	if s.allocated >= s.most {
		return nil
	}
	buffer, err := s.pool.GetFor(context.Background(), blockSize, spool.Compressed) // held < most: does not wait
	if err != nil {
		return nil
	}
	b := &block{blockKey: at, buffer: buffer, users: 1, done: make(chan struct{})}
	b.entry = s.recent.PushFront(b)
	s.cached[at] = b
	s.allocated++
	return b
}

// drop removes a block from the cache. Its last user frees its memory.
func (s *blocks) drop(b *block) {
	if b.entry == nil {
		return
	}
	s.recent.Remove(b.entry)
	b.entry = nil
	delete(s.cached, b.blockKey)
	if b.users == 0 {
		s.free(b)
	}
}

func (s *blocks) free(b *block) {
	b.buffer.Release()
	s.allocated--
}

// release ends one use of a block.
func (s *blocks) release(b *block) {
	b.users--
	if b.users == 0 && b.entry == nil {
		s.free(b)
	}
}

// releaseAll releases the blocks that take returned.
func (s *blocks) releaseAll(taken []*block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range taken {
		s.release(b)
	}
}

// fetch fills consecutive blocks by one request. It drops blocks that failed; those who wait for them get the error.
func (s *blocks) fetch(o *Object, run []*block) {
	var memory scatter
	for _, b := range run {
		off := b.index * blockSize
		memory = append(memory, b.buffer.Bytes()[:min(blockSize, o.entry.Size-off)])
	}
	n, err := o.host.read(o.blockContext(), o, memory, run[0].index*blockSize)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range run {
		if n -= len(memory[i]); n < 0 {
			b.err = err
			s.drop(b)
		}
		close(b.done)
		s.release(b)
	}
}

// forget drops an object's blocks.
func (s *blocks) forget(o *Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.recent.Front(); e != nil; {
		b := e.Value.(*block)
		e = e.Next()
		if b.object == o {
			s.drop(b)
		}
	}
}

// bytes returns how much memory is in use.
func (s *blocks) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.allocated) * blockSize
}

// close frees the memory. No block may be in use.
func (s *blocks) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.cached {
		s.drop(b)
	}
	if s.pool == nil {
		return nil
	}
	return s.pool.Close()
}
