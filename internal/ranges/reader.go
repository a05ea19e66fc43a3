package ranges

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

// Options are the limits of a Reader. Zeros select the defaults.
type Options struct {
	Hold  int64 // bytes in memory or in flight at most, except for one block; 0: 64 MiB
	Block int64 // size of a request for a random read; 0: 64 KiB
	Part  int64 // size of a request at most; 0: 1 MiB
	Ahead int64 // bytes of read-ahead at most; 0: 16 MiB, but at most half of Hold
	Near  int64 // gap in bytes that a sequential reader may skip; above 0, nothing before a read is read again
}

func (o *Options) setDefaults() {
	for _, x := range []struct {
		value  *int64
		normal int64
	}{{&o.Hold, 64 << 20}, {&o.Block, 64 << 10}, {&o.Part, 1 << 20}, {&o.Ahead, 16 << 20}} {
		if *x.value <= 0 {
			*x.value = x.normal
		}
	}
	o.Ahead = min(o.Ahead, o.Hold/2)
	o.Block = min(o.Block, max(o.Ahead, 1))
}

// Stats counts the requests of a Reader.
type Stats struct {
	Requests int64 // reads of the object
	Bytes    int64 // received
}

// Reader reads an object. It is safe for concurrent use. Concurrent readers gain most when their ranges were announced
// together. It keeps bytes up to a limit, and evicts those that were read to their end first.
type Reader struct {
	object  spool.Object
	size    int64
	options Options
	ctx     context.Context // of the object's reads, which serve all waiting readers
	stop    context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	segments  []*segment // disjoint, in the order of the object
	expected  []Range    // announced, but not requested yet
	bytes     int64
	clock     int64 // counts reads
	aheadEnd  int64 // end of the read-ahead, which begins at a byte that was not expected
	aheadSize int64 // size of the read-ahead
	stats     Stats
	closed    bool
}

// segment is a range of the object. Its data is valid once ready is closed.
type segment struct {
	Range
	data   []byte
	err    error
	ready  chan struct{}
	done   bool  // ready is closed; the mutex guards it
	passed bool  // it was read to its end
	used   int64 // clock of the last read
}

// New returns a reader of an object. The object must stay open until Close. New reads nothing. The object's reads must
// return when their context ends.
func New(object spool.Object, o Options) *Reader {
	o.setDefaults()
	r := &Reader{object: object, size: object.Info().Size, options: o, aheadEnd: -1}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// read reads exactly these bytes. A read through the object's block cache would keep them twice.
func (r *Reader) read(ctx context.Context, p []byte, off int64) (int, error) {
	return spool.ReadRange(ctx, r.object, p, off)
}

// Info returns the object's info.
func (r *Reader) Info() spool.ObjectInfo { return r.object.Info() }

// Size returns the object's size in bytes.
func (r *Reader) Size() int64 { return r.size }

// Stats may be called at any time.
func (r *Reader) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Close cancels the requests in flight and waits for them. Later reads fail.
func (r *Reader) Close() {
	r.mu.Lock()
	r.closed, r.expected = true, nil
	r.mu.Unlock()
	r.stop()
	r.running.Wait()
}

// Some reads at least one byte at off, or returns an error: io.EOF at the end of the object. It returns the bytes at
// hand without a further request, which may be less than len(p). An error of the object is returned once, and the next
// read tries again.
func (r *Reader) Some(ctx context.Context, p []byte, off int64) (int, error) {
	if off < 0 || len(p) == 0 {
		return 0, nil
	}
	if off >= r.Size() {
		return 0, io.EOF
	}
	x, err := r.find(off)
	if err == nil {
		err = x.wait(ctx)
	}
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if off >= x.Begin+int64(len(x.data)) { // the object ended early, or its read failed
		r.drop(x)
		return 0, x.err
	}
	n := copy(p, x.data[off-x.Begin:])
	if off+int64(n) == x.End {
		x.passed = true
	}
	return n, nil
}

// find returns the segment that holds a byte. It requests the byte if it is missing.
func (r *Reader) find(off int64) (*segment, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, context.Canceled
	}
	x := r.at(off)
	switch {
	case x == nil:
		x = r.request(off)
	case x.End == r.aheadEnd && r.aheadSize > r.options.Block: // a sequential reader reached the end of the read-ahead
		r.aheadSize = min(2*r.aheadSize, r.options.Ahead)
		r.readAhead(false)
	}
	r.clock++
	x.used = r.clock
	if r.options.Near > 0 { // a sequential reader does not return to skipped bytes
		for i := r.after(off) - 2; i >= 0 && !r.segments[i].passed; i-- {
			r.segments[i].passed = true
		}
	}
	r.requestExpected()
	return x, nil
}

// ReadAt reads len(p) bytes at off, like io.ReaderAt. It waits for as many requests as needed.
func (r *Reader) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Some(ctx, p[n:], off+int64(n))
		n += m
	}
	return n, err
}

// Expect announces ranges that will be read, and requests them concurrently up to the memory limit. The rest follows as
// bytes are read to their end. Ranges of earlier calls follow those of this call.
func (r *Reader) Expect(list []Range) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.expected = append(slices.Clone(list), r.expected...)
	r.requestExpected()
}

// Await waits until the requested bytes at the beginning of a range have arrived or failed. A read reports the failure.
func (r *Reader) Await(ctx context.Context, part Range) error {
	for off := part.Begin; off < part.End; {
		r.mu.Lock()
		x := r.at(off)
		r.mu.Unlock()
		if x == nil {
			return nil
		}
		if err := x.wait(ctx); err != nil {
			return err
		}
		off = x.End
	}
	return nil
}

func (x *segment) wait(ctx context.Context) error {
	select {
	case <-x.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// at returns the segment that holds a byte or will hold it, or nil.
func (r *Reader) at(off int64) *segment {
	if i := r.after(off); i > 0 && off < r.segments[i-1].End {
		return r.segments[i-1]
	}
	return nil
}

// after returns the index of the first segment that begins after a byte.
func (r *Reader) after(off int64) int {
	i, _ := slices.BinarySearchFunc(r.segments, off+1, func(x *segment, off int64) int { return int(min(max(x.Begin-off, -1), 1)) })
	return i
}

// request requests a byte that was not expected. If the read continues the last read-ahead, it doubles the read-ahead.
func (r *Reader) request(off int64) *segment {
	if r.aheadEnd >= 0 && r.aheadEnd <= off && off <= r.aheadEnd+r.options.Near {
		r.aheadSize = min(2*r.aheadSize, r.options.Ahead)
	} else {
		r.aheadSize = r.options.Block
	}
	r.aheadEnd = off
	r.readAhead(true)
	return r.at(off)
}

// readAhead requests the next bytes of the read-ahead, and skips ranges that are already there. If a reader waits for
// the first of them, it requests at least a block even beyond the memory limit.
func (r *Reader) readAhead(waited bool) {
	for end := min(r.aheadEnd+r.aheadSize, r.Size()); r.aheadEnd < end; waited = false {
		if x := r.at(r.aheadEnd); x != nil {
			r.aheadEnd = x.End
			continue
		}
		part := Range{r.aheadEnd, min(r.aheadEnd+r.options.Part, end)}
		if i := r.after(part.Begin); i < len(r.segments) {
			part.End = min(part.End, r.segments[i].Begin)
		}
		if !r.makeRoom(part.Len(), waited) {
			if !waited {
				return
			}
			part.End = min(part.End, part.Begin+r.options.Block)
		}
		r.fetch(part)
		r.aheadEnd = part.End
	}
}

// requestExpected requests the expected ranges that fit in memory.
func (r *Reader) requestExpected() {
	for len(r.expected) > 0 {
		part := &r.expected[0]
		for x := r.at(part.Begin); x != nil; x = r.at(part.Begin) { // already there
			part.Begin = x.End
		}
		now := Range{part.Begin, min(part.End, part.Begin+r.options.Part, r.Size())}
		if now.Len() <= 0 {
			r.expected = r.expected[1:]
			continue
		}
		if i := r.after(now.Begin); i < len(r.segments) {
			now.End = min(now.End, r.segments[i].Begin)
		}
		if !r.makeRoom(now.Len(), false) {
			return
		}
		r.fetch(now)
		part.Begin = now.End
	}
}

// makeRoom frees memory for n bytes. It evicts segments that were read to their end. With must it also evicts segments
// that were not, but none in flight. The least recently used go first.
func (r *Reader) makeRoom(n int64, must bool) bool {
	for r.bytes+n > r.options.Hold {
		var oldest *segment
		for _, x := range r.segments {
			if x.done && (x.passed || must) && (oldest == nil || x.passed && !oldest.passed || x.passed == oldest.passed && x.used < oldest.used) {
				oldest = x
			}
		}
		if oldest == nil {
			return false
		}
		r.drop(oldest)
	}
	return true
}

// drop removes a segment, if it was not removed before.
func (r *Reader) drop(x *segment) {
	if i := slices.Index(r.segments, x); i >= 0 {
		r.segments = slices.Delete(r.segments, i, i+1)
		r.bytes -= x.Len()
	}
}

// fetch requests a range that is not there.
func (r *Reader) fetch(part Range) {
	x := &segment{Range: part, ready: make(chan struct{}), used: r.clock}
	r.segments = slices.Insert(r.segments, r.after(part.Begin), x)
	r.bytes += part.Len()
	r.stats.Requests++
	r.running.Go(func() {
		data := make([]byte, part.Len())
		n, err := r.read(r.ctx, data, part.Begin)
		if n < len(data) && (err == nil || errors.Is(err, io.EOF)) {
			err = io.ErrUnexpectedEOF
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		x.data, x.err, x.done = data[:n], err, true
		r.stats.Bytes += int64(n)
		close(x.ready)
	})
}
