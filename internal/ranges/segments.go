package ranges

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

// ReadFunc reads len(p) bytes of an object at off. It returns when its context ends.
type ReadFunc func(ctx context.Context, p []byte, off int64) (int, error)

// segments are the ranges of one object in a store. The store's lock guards them.
type segments struct {
	store *Store
	size  int64
	read  ReadFunc
	again bool            // bytes may be read again: those that are not planned are free from the beginning
	life  context.Context // bounds that of the requests

	list    []*segment // disjoint, in the order of the object
	bytes   int64
	stats   Stats
	ctx     context.Context // of requests, which serve all waiting readers; nil before the first
	stop    context.CancelFunc
	running sync.WaitGroup
	closed  bool
}

// segment is a range of an object. Its data and its error do not change after ready is closed.
type segment struct {
	Range
	of      *segments
	buffer  *spool.Buffer
	data    []byte
	err     error
	ready   chan struct{}
	planned bool
	passed  bool // it was read to its end
	dropped bool
	users   int   // that wait for it, read it or write it: its memory stays as long as there are any
	used    int64 // clock of the last use

	queue *list.List // the list of the store that it is in, or nil
	entry *list.Element
}

// at returns the segment that holds a byte or will hold it, or nil.
func (s *segments) at(off int64) *segment {
	if i := s.after(off); i > 0 && off < s.list[i-1].End {
		return s.list[i-1]
	}
	return nil
}

// after returns the index of the first segment that begins after a byte.
func (s *segments) after(off int64) int {
	i, _ := slices.BinarySearchFunc(s.list, off+1, func(x *segment, off int64) int { return cmp.Compare(x.Begin, off) })
	return i
}

// hole returns the missing range from begin, which is missing, up to end or the next segment.
func (s *segments) hole(begin, end int64) Range {
	if i := s.after(begin); i < len(s.list) {
		end = min(end, s.list[i].Begin)
	}
	return Range{begin, end}
}

// covers reports whether all bytes of a range are in memory or in flight.
func (s *segments) covers(begin, end int64) bool {
	for begin < end {
		x := s.at(begin)
		if x == nil {
			return false
		}
		begin = x.End
	}
	return true
}

// begin returns the context of requests.
func (s *segments) begin() context.Context {
	if s.ctx == nil {
		s.ctx, s.stop = context.WithCancel(s.life)
	}
	return s.ctx
}

// insert adds a segment, with one user.
func (s *segments) insert(part Range, buffer *spool.Buffer, planned bool) *segment {
	x := &segment{Range: part, of: s, buffer: buffer, planned: planned, users: 1, used: s.store.clock}
	x.ready = make(chan struct{})
	s.list = slices.Insert(s.list, s.after(part.Begin), x)
	s.bytes += part.Len()
	return x
}

// fetch requests a missing range into a buffer of its size.
func (s *segments) fetch(part Range, buffer *spool.Buffer, planned bool) *segment {
	x, ctx := s.insert(part, buffer, planned), s.begin()
	s.stats.Requests++
	s.running.Add(1)
	s.store.running.Go(func() {
		defer s.running.Done()
		n, err := s.read(ctx, buffer.Bytes(), part.Begin)
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		s.stats.Bytes += int64(n)
		x.arrive(n, err)
	})
	return x
}

// arrive sets the outcome of a request. Readers that wait get the error. Later readers request the missing bytes again,
// unless they were planned: a failure of these is returned by the first read.
func (x *segment) arrive(n int, err error) {
	x.data = x.buffer.Bytes()[:n]
	if n < x.buffer.Len() {
		if x.err = err; err == nil || errors.Is(err, io.EOF) {
			x.err = io.ErrUnexpectedEOF
		}
	}
	close(x.ready)
	switch {
	case x.dropped, x.err == nil, x.planned:
	case n == 0:
		x.of.drop(x)
	default:
		x.of.bytes -= x.End - x.Begin - int64(n)
		x.End = x.Begin + int64(n)
	}
	x.leave()
}

// wait waits until a segment has arrived or failed.
func (x *segment) wait(ctx context.Context) error {
	select {
	case <-x.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// copy copies the bytes at off of a segment that is ready and in use. It returns at least one, or the error.
func (x *segment) copy(p []byte, off int64) (int, error) {
	if off >= x.Begin+int64(len(x.data)) {
		return 0, x.err
	}
	return copy(p, x.data[off-x.Begin:]), nil
}

// enter begins the use of a segment.
func (x *segment) enter() {
	x.users++
	x.settle()
}

// leave ends the use of a segment.
func (x *segment) leave() {
	x.users--
	x.of.store.clock++
	x.used = x.of.store.clock
	x.settle()
}

// settle moves a segment to the list of the store where it belongs. It releases the memory of a dropped segment.
func (x *segment) settle() {
	if x.queue != nil {
		x.queue.Remove(x.entry)
		x.queue, x.entry = nil, nil
	}
	switch {
	case x.users > 0:
	case x.dropped:
		x.buffer.Release()
	case x.planned && !x.passed:
		x.queue = &x.of.store.planned
	case x.passed || x.of.again:
		x.queue = &x.of.store.free
	default:
		x.queue = &x.of.store.unread
	}
	if x.queue != nil {
		x.entry = x.queue.PushFront(x)
	}
}

// pass marks a segment as read to its end.
func (x *segment) pass() {
	if !x.passed {
		x.passed = true
		if !x.dropped {
			x.settle()
		}
	}
}

// drop removes a segment, if it was not removed before. The memory of one in use is released by its last user.
func (s *segments) drop(x *segment) {
	if x.dropped {
		return
	}
	x.dropped = true
	i := slices.Index(s.list, x)
	s.list = slices.Delete(s.list, i, i+1)
	s.bytes -= x.Len()
	x.settle()
}

// end cancels the requests in flight. Later reads fail.
func (s *segments) end() {
	s.closed = true
	if s.stop != nil {
		s.stop()
	}
}

// dropAll removes all segments.
func (s *segments) dropAll() {
	for len(s.list) > 0 {
		s.drop(s.list[len(s.list)-1])
	}
}
