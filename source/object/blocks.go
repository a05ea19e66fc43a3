package object

import (
	"container/list"
	"context"
	"sync"

	"github.com/spoolmedia/spool"
)

const (
	// blockSize is what is asked for where less is wanted: on a connection of 50 MB/s it takes 3 ms, beside tens of latency.
	blockSize = 128 << 10
	// mostAhead is the most blocks that are asked for before they are wanted: 8 MiB are what 160 MB/s need at 50 ms.
	mostAhead = 64
	// together is how many blocks make one request: more are asked for side by side.
	together = 8
)

// blocks is a cache of parts of objects that are read a little at a time by somebody of whom nothing is known: a directory of an
// archive, a footer. It has memory of a pool of its own with a ceiling for all objects together, in which what was not used
// for longest makes room, whoever has it, and where there is none reads pass it by. Who knows what comes next (demuxers, headers
// of shards) does without it: ReadRange, by internal/ranges, which fetches that and keeps it until it is read.
type blocks struct {
	pool *spool.Pool
	most int // 0 keeps none

	mu     sync.Mutex
	held   int // blocks that have memory, also of those that were dropped while they were in use
	kept   map[place]*block
	recent list.List // of *block: the one used last in front
}

type place struct {
	object *Object
	index  int64
}

// block is a part of an object, which is there or on its way.
type block struct {
	place
	buffer *spool.Buffer
	entry  *list.Element
	users  int // who wait for it, read it or write it: its memory stays as long as there are any

	came chan struct{} // closed when it is there, or not to be had
	err  error
}

// newBlocks keeps up to most bytes.
func newBlocks(most int64) (*blocks, error) {
	s := &blocks{kept: map[place]*block{}, most: int(most / blockSize)}
	if s.most == 0 {
		return s, nil
	}
	var err error
	s.pool, err = spool.NewPool(spool.PoolOptions{MaxBytes: most})
	return s, err
}

// take gives blocks first to last of an object, of which it fetches those that are neither there nor on their way, and up
// to ahead more behind them. The blocks are the caller's to leave. It is nil where others use the room that these need.
func (s *blocks) take(o *Object, first, last, ahead int64) []*block {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := make([]*block, 0, last-first+1)
	var fetch []*block
	for i := first; i <= last+ahead; i++ {
		b := s.kept[place{o, i}]
		if b == nil {
			if b = s.add(place{o, i}); b == nil {
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
			s.release(b) // by who would have fetched it
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

// known is how many of the blocks from first to last of an object are there or on their way, up to the first that is not.
func (s *blocks) known(o *Object, first, last int64) (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for first+n <= last && s.kept[place{o, first + n}] != nil {
		n++
	}
	return n
}

// add makes a block, for who fetches it, where need be in place of the one that was not used for longest.
func (s *blocks) add(at place) *block {
	for old := s.recent.Back(); old != nil && s.held >= s.most; {
		b := old.Value.(*block)
		old = old.Prev()
		if b.users == 0 {
			s.drop(b)
		}
	}
	if s.held >= s.most {
		return nil
	}
	buffer, err := s.pool.GetFor(context.Background(), blockSize, spool.Compressed) // there is room: it does not wait
	if err != nil {
		return nil
	}
	b := &block{place: at, buffer: buffer, users: 1, came: make(chan struct{})}
	b.entry = s.recent.PushFront(b)
	s.kept[at] = b
	s.held++
	return b
}

// drop forgets a block. Its memory goes when its last user does.
func (s *blocks) drop(b *block) {
	if b.entry == nil {
		return
	}
	s.recent.Remove(b.entry)
	b.entry = nil
	delete(s.kept, b.place)
	if b.users == 0 {
		s.free(b)
	}
}

func (s *blocks) free(b *block) {
	b.buffer.Release()
	s.held--
}

// release ends one use of a block.
func (s *blocks) release(b *block) {
	b.users--
	if b.users == 0 && b.entry == nil {
		s.free(b)
	}
}

// leave gives back what take gave.
func (s *blocks) leave(taken []*block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range taken {
		s.release(b)
	}
}

// fetch fills neighbouring blocks by one request. What failed is forgotten once all who wait for it know.
func (s *blocks) fetch(o *Object, run []*block) {
	var memory scatter
	for _, b := range run {
		off := b.index * blockSize
		memory = append(memory, b.buffer.Bytes()[:min(blockSize, o.entry.Size-off)])
	}
	n, err := o.host.read(o.living(), o, memory, run[0].index*blockSize)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range run {
		if n -= len(memory[i]); n < 0 {
			b.err = err
			s.drop(b)
		}
		close(b.came)
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

// bytes is how much memory is held.
func (s *blocks) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.held) * blockSize
}

// close gives the memory back. Nothing may be in use.
func (s *blocks) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.kept {
		s.drop(b)
	}
	if s.pool == nil {
		return nil
	}
	return s.pool.Close()
}
