package ranges

import (
	"context"

	"github.com/spoolmedia/spool"
)

const (
	// blockSize is the size of a request for a small read. At 50 MB/s it takes 3 ms, compared with tens of ms of latency.
	blockSize = 128 << 10
	// mostAhead is the most blocks that are prefetched: 8 MiB are enough for 160 MB/s at a latency of 50 ms.
	mostAhead = 64
	// mostRequest is the most bytes of one request: more are requested concurrently.
	mostRequest = 8 * blockSize
	// small is the size from which a read that is not sequential is requested as it is.
	small = 64 << 10
)

// Blocks reads an object for users that announce nothing. It is safe for concurrent use.
type Blocks struct {
	segments
	next  int64 // end of the last read
	ahead int64 // blocks to prefetch
}

// NewBlocks returns the blocks of an object of size bytes, whose ranges read returns. Their requests end with life.
func NewBlocks(life context.Context, s *Store, size int64, read ReadFunc) *Blocks {
	return &Blocks{segments: segments{store: s, size: size, read: read, again: true, life: life}, next: -2 * blockSize}
}

// Add adds bytes at off that came by another request. They are kept until they are read to their end. Add owns the
// buffer.
func (b *Blocks) Add(off int64, buffer *spool.Buffer) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	part := Range{off, off + int64(buffer.Len())}
	if x := b.at(off); x != nil {
		part.Begin = x.End
	}
	if part = b.hole(part.Begin, part.End); b.closed || part.Len() <= 0 {
		buffer.Release()
		return
	}
	x := b.insert(part, buffer, true)
	x.data = buffer.Bytes()[part.Begin-off:][:part.Len()]
	close(x.ready)
	x.leave()
}

// Read reads the beginning of p at off, with an error if not all of that could be read. If the read is small or
// sequential, that is all of p as long as there is memory, and the blocks around it are requested. Of other reads it is
// what is there. off+len(p) must be within the object.
func (b *Blocks) Read(ctx context.Context, p []byte, off int64) (int, error) {
	return b.gather(ctx, p, off, true)
}

// Known reads the beginning of p that is there.
func (b *Blocks) Known(ctx context.Context, p []byte, off int64) (int, error) {
	return b.gather(ctx, p, off, false)
}

func (b *Blocks) gather(ctx context.Context, p []byte, off int64, through bool) (n int, err error) {
	taken, end, through, err := b.acquire(off, int64(len(p)), through)
	if err != nil || len(taken) == 0 {
		return 0, err
	}
	defer func() { b.release(taken, off+int64(n)) }()
	for i, x := range taken {
		if x.wait(ctx) != nil {
			return n, context.Cause(ctx)
		}
		until := end
		if i+1 < len(taken) {
			until = taken[i+1].Begin
		}
		m, err := x.copy(p[n:], off+int64(n))
		if n += m; err == nil && off+int64(n) < until { // it was to be longer
			err = x.err
		}
		if err != nil && !through { // the caller requests the rest
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
	return n, nil
}

// acquire returns the segments that will hold the beginning of a range, up to until, in use by the caller. If the read
// goes through blocks, it requests the missing ones.
func (b *Blocks) acquire(off, size int64, through bool) (taken []*segment, until int64, _ bool, _ error) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	if b.closed {
		return nil, 0, false, spool.ErrClosed
	}
	end := off + size
	if size == b.size && !b.covers(off, end) { // one request for the whole object, which has a checksum
		return nil, 0, false, nil
	}
	at := off
	for x := b.at(at); at < end && x != nil && x.planned; x = b.at(at) { // they count for no pattern of reads
		x.enter()
		taken = append(taken, x)
		at = x.End
	}
	wanted := end // with read-ahead
	if through && at < end {
		wanted, through = b.plan(at, end-at)
	}
	for at < wanted {
		x := b.at(at)
		if x == nil && through {
			x = b.request(at, wanted, at < end)
		}
		if x == nil {
			break
		}
		if at < end {
			x.enter()
			taken = append(taken, x)
		}
		at = x.End
	}
	return taken, min(at, end), through, nil
}

// request requests the missing blocks from that of a byte up to until. It returns nil if there is no memory for them.
func (b *Blocks) request(at, until int64, waited bool) *segment {
	begin := at / blockSize * blockSize
	if i := b.after(at); i > 0 {
		begin = max(begin, b.list[i-1].End)
	}
	part := b.hole(begin, min(begin+mostRequest, until))
	buffer := b.store.take(part.Len(), waited)
	if buffer == nil && waited {
		part.End = min(part.End, (at/blockSize+1)*blockSize)
		buffer = b.store.take(part.Len(), true)
	}
	if buffer == nil {
		return nil
	}
	return b.fetch(part, buffer, false)
}

// release ends the use of segments. end is up to where they were read.
func (b *Blocks) release(taken []*segment, end int64) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	for _, x := range taken {
		if x.planned && x.End <= end {
			x.pass()
		}
		x.leave()
	}
}

// plan decides whether a read goes through blocks, and up to where they are requested. Reads that continue about where
// others ended double the number of prefetched blocks each time that half of the previous ones are used.
func (b *Blocks) plan(off, size int64) (until int64, through bool) {
	goesOn := off >= b.next-blockSize && off <= b.next+blockSize
	b.next = off + size
	if !goesOn {
		b.ahead = 0
	}
	first, last := off/blockSize, (off+size-1)/blockSize
	upTo := func(block int64) int64 { return min((block+1)*blockSize, b.size) }
	switch {
	case size == b.size, size >= mostAhead*blockSize/2:
		return off + size, false
	case !goesOn:
		return upTo(last), size < small
	case b.covers(first*blockSize, upTo(last+(b.ahead+1)/2)):
		return upTo(last), true
	}
	b.ahead = min(max(2*b.ahead, 1), mostAhead, b.store.most/blockSize/4)
	return upTo(last + b.ahead), true
}

// Close cancels the requests in flight. Later reads fail. Further calls do nothing.
func (b *Blocks) Close() {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	b.end()
	b.dropAll()
}
