package object

import (
	"context"

	"github.com/spoolmedia/spool"
)

// small is from where on a read on its own is asked for as it is.
const small = 64 << 10

// piecemeal is ReadAt's way through blocks, and reads the beginning of p that comes so: all of it where reads are small or follow each other, and
// otherwise what is there.
func (o *Object) piecemeal(ctx context.Context, p []byte, off int64) (n int, err error) {
	size := int64(len(p))
	if o.blocks.most == 0 {
		return 0, nil
	}
	first, last := off/blockSize, (off+size-1)/blockSize
	ahead, through := o.foresee(off, size, first, last)
	if !through {
		if !o.pieces.Load() {
			return 0, nil
		}
		last = first + o.blocks.known(o, first, last) - 1
	}
	if last < first {
		return 0, nil
	}
	o.pieces.Store(true)
	if o.closed.Load() { // Close either saw what was stored just now, or is seen here
		return 0, spool.ErrClosed
	}
	taken := o.blocks.take(o, first, last, ahead)
	defer o.blocks.leave(taken)
	for _, b := range taken {
		select {
		case <-b.came:
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

// foresee says whether a read should come through blocks, and how many more to fetch. Reads that go on where others ended, or
// about there, have twice as many each time that half of those before are used.
func (o *Object) foresee(off, size, first, last int64) (ahead int64, through bool) {
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
