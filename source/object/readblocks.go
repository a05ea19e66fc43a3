package object

import (
	"context"

	"github.com/spoolmedia/spool"
)

// small is the size from which a read that is not sequential is requested as it is.
const small = 64 << 10

// readBlocks reads the beginning of p through blocks: all of p if reads are small or sequential, and otherwise what is
// cached.
func (o *Object) readBlocks(ctx context.Context, p []byte, off int64) (n int, err error) {
	size := int64(len(p))
	if o.blocks.most == 0 {
		return 0, nil
	}
	first, last := off/blockSize, (off+size-1)/blockSize
	ahead, through := o.planBlocks(off, size, first, last)
	if !through {
		if !o.usedBlocks.Load() {
			return 0, nil
		}
		last = first + o.blocks.known(o, first, last) - 1
	}
	if last < first {
		return 0, nil
	}
	o.usedBlocks.Store(true)
	if o.closed.Load() { // Close either saw usedBlocks, or is seen here
		return 0, spool.ErrClosed
	}
	taken := o.blocks.acquire(o, first, last, ahead)
	defer o.blocks.releaseAll(taken)
	for _, b := range taken {
		select {
		case <-b.done:
		case <-ctx.Done():
			return n, context.Cause(ctx)
		}
		if b.err != nil {
			if o.closed.Load() {
				return n, spool.ErrClosed
			}
			return n, b.err
		}
		n += copy(p[n:], b.buffer.Bytes()[off+int64(n)-b.index*blockSize:])
	}
	return n, nil
}

// planBlocks decides whether a read goes through blocks, and how many more to prefetch. Reads that continue about where
// others ended double that number each time that half of the previous blocks are used.
func (o *Object) planBlocks(off, size, first, last int64) (ahead int64, through bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	goesOn := off >= o.next-blockSize && off <= o.next+blockSize
	o.next = off + size
	if !goesOn {
		o.ahead = 0
	}
	switch {
	case size == o.entry.Size, size >= mostAhead*blockSize/2:
		return 0, false
	case !goesOn:
		return 0, size < small
	}
	end := (o.entry.Size - 1) / blockSize
	if soon := min(last+(o.ahead+1)/2, end); o.blocks.known(o, first, soon) == soon-first+1 {
		return 0, true
	}
	o.ahead = min(max(2*o.ahead, 1), mostAhead, int64(o.blocks.most)/4)
	return min(o.ahead, end-last), true
}
