package ranges

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spoolmedia/spool"
)

// Options are the limits of a Reader. Zeros select the defaults.
type Options struct {
	Store *Store // memory; nil: a store of its own with Hold bytes
	Hold  int64  // bytes in memory or in flight at most; 0: 64 MiB, but at most the store's ceiling
	Block int64  // size of a request for a random read; 0: 64 KiB
	Part  int64  // size of a request at most; 0: 1 MiB
	Ahead int64  // bytes of read-ahead at most; 0: 16 MiB, but at most half of Hold
	Near  int64  // gap in bytes that a sequential reader may skip; above 0, nothing before a read is read again
}

// setDefaults returns the size of a block before it is limited by memory.
func (o *Options) setDefaults() (block int64) {
	for _, x := range []struct {
		value  *int64
		normal int64
	}{{&o.Hold, 64 << 20}, {&o.Block, 64 << 10}, {&o.Part, 1 << 20}, {&o.Ahead, 16 << 20}} {
		if *x.value <= 0 {
			*x.value = x.normal
		}
	}
	if o.Store != nil {
		o.Hold = min(o.Hold, o.Store.most)
	}
	o.Ahead = min(o.Ahead, o.Hold/2)
	block, o.Block = o.Block, min(o.Block, max(o.Ahead, 1))
	return block
}

// Stats counts the requests of a Reader.
type Stats struct {
	Requests int64 // reads of the object
	Bytes    int64 // received
}

// Reader reads an object for one user. It is safe for concurrent use. Concurrent readers gain most when their ranges
// were announced together. It keeps bytes up to a limit, and evicts those that were read to their end first.
type Reader struct {
	segments
	object  spool.Object
	options Options
	alone   int64       // size of a request without memory, at most
	reserve int64       // part of Options.Hold that prefetching leaves to reads that wait
	own     *spool.Pool // nil with Options.Store

	expected  []Range // announced, but not requested yet
	aheadEnd  int64   // end of the read-ahead, which begins at a byte that was not expected
	aheadSize int64   // size of the read-ahead
}

// New returns a reader of an object. The object must stay open until Close. New reads nothing. The object's reads must
// return when their context ends.
func New(object spool.Object, o Options) *Reader {
	r := &Reader{object: object, aheadEnd: -1}
	r.alone = o.setDefaults()
	if o.Store == nil {
		r.own, _ = spool.NewPool(spool.PoolOptions{MaxBytes: o.Hold}) // it only fails for a negative size
		o.Store = NewStore(r.own)
	}
	r.options, r.reserve = o, min(2*o.Block, o.Hold/4)
	r.segments = segments{store: o.Store, size: object.Info().Size, life: context.Background()}
	r.read = func(ctx context.Context, p []byte, off int64) (int, error) {
		return spool.ReadRange(ctx, object, p, off) // exactly: the object's own blocks would keep the bytes twice
	}
	return r
}

// Info returns the object's info.
func (r *Reader) Info() spool.ObjectInfo { return r.object.Info() }

// Size returns the object's size in bytes.
func (r *Reader) Size() int64 { return r.size }

// Stats may be called at any time.
func (r *Reader) Stats() Stats {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return r.stats
}

// Close cancels the requests in flight and waits for them. Later reads fail.
func (r *Reader) Close() {
	r.store.mu.Lock()
	r.expected = nil
	r.end()
	r.store.mu.Unlock()
	r.running.Wait()
	r.store.mu.Lock()
	r.dropAll()
	r.store.mu.Unlock()
	if r.own != nil {
		_ = r.own.Close() // what a read still copies is released by it
	}
}

// Some reads at least one byte at off, or returns an error: io.EOF at the end of the object. It returns the bytes at
// hand without a further request, which may be less than len(p). An error of the object is returned once, and the next
// read tries again.
func (r *Reader) Some(ctx context.Context, p []byte, off int64) (int, error) {
	if off < 0 || len(p) == 0 {
		return 0, nil
	}
	if off >= r.size {
		return 0, io.EOF
	}
	x, err := r.find(off)
	switch {
	case err != nil:
		return 0, err
	case x == nil:
		return r.direct(ctx, p, off)
	}
	n, waited := 0, x.wait(ctx)
	if err = waited; err == nil {
		n, err = x.copy(p, off)
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	switch {
	case waited != nil:
	case err != nil: // the object ended early, or its read failed
		if x.planned {
			r.drop(x)
		}
	case off+int64(n) == x.End:
		x.pass()
	}
	x.leave()
	return n, err
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
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.closed {
		return
	}
	for _, part := range list {
		r.plan(part)
	}
	r.expected = append(slices.Clone(list), r.expected...)
	r.requestExpected()
}

// plan keeps the bytes of a range that are in memory or in flight.
func (r *Reader) plan(part Range) {
	for i := max(r.after(part.Begin)-1, 0); i < len(r.list) && r.list[i].Begin < part.End; i++ {
		if x := r.list[i]; x.End > part.Begin {
			x.planned, x.passed = true, false
			x.settle()
		}
	}
}

// Await waits until the requested bytes at the beginning of a range have arrived or failed. A read reports the failure.
func (r *Reader) Await(ctx context.Context, part Range) error {
	for off := part.Begin; off < part.End; {
		r.store.mu.Lock()
		x := r.at(off)
		if x == nil {
			r.store.mu.Unlock()
			return nil
		}
		off = x.End
		r.store.mu.Unlock()
		if err := x.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// find returns the segment that holds a byte, in use by the caller. It requests the byte if it is missing, and returns
// nil if there is no memory for it.
func (r *Reader) find(off int64) (*segment, error) {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.closed {
		return nil, context.Canceled
	}
	x := r.at(off)
	known := x != nil
	if !known {
		x = r.request(off)
	}
	if x != nil {
		x.enter()
	}
	if known && x.End == r.aheadEnd && r.aheadSize > r.options.Block { // a sequential reader reached the last of it
		r.aheadSize = min(2*r.aheadSize, r.options.Ahead)
		r.readAhead(false)
	}
	if r.options.Near > 0 { // a sequential reader does not return to skipped bytes
		for i := r.after(off) - 2; i >= 0 && !r.list[i].passed; i-- {
			r.list[i].pass()
		}
	}
	r.requestExpected()
	return x, nil
}

// direct requests bytes into the caller's memory: about as many as a segment would hold.
func (r *Reader) direct(ctx context.Context, p []byte, off int64) (int, error) {
	r.store.mu.Lock()
	if r.closed {
		r.store.mu.Unlock()
		return 0, context.Canceled
	}
	part := r.hole(off, min(off+r.alone, off+int64(len(p)), r.size))
	ends := r.begin()
	r.stats.Requests++
	r.running.Add(1)
	r.store.mu.Unlock()
	defer r.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ends, cancel)()
	n, err := r.read(ctx, p[:part.Len()], off)
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	r.stats.Bytes += int64(n)
	r.aheadEnd = off + int64(n)
	switch {
	case n > 0:
		return n, nil
	case err == nil, errors.Is(err, io.EOF):
		return 0, io.ErrUnexpectedEOF
	}
	return 0, err
}
