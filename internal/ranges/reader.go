package ranges

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

// Options are the measures of a Reader. Zeros are the defaults.
type Options struct {
	Hold  int64 // the most bytes that are kept or on their way, but for a block; 0: 64 MiB
	Block int64 // what a read anywhere asks for; 0: 64 KiB
	Part  int64 // the most that one read of the object asks for; 0: 1 MiB
	Ahead int64 // how far who reads on is kept in front of; 0: 16 MiB, but at most half of Hold
	Near  int64 // how many bytes who reads on may leave out; more than 0 says that nobody goes back
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

// Stats are what a Reader has asked for so far.
type Stats struct {
	Requests int64 // reads of the object
	Bytes    int64 // that came
}

// Reader reads an object. It is safe for concurrent use, and of most use where several read parts that were expected together.
// It keeps what it has read, up to a ceiling: what was read to its end goes first.
type Reader struct {
	object  spool.Object
	size    int64
	options Options
	ctx     context.Context // of the reads of the object, which are for all who wait for them
	stop    context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	pieces []*piece // disjoint, in the order of the object
	plan   []Range  // expected, and not begun
	held   int64
	clock  int64 // counts reads
	last   int64 // where the pieces end that were read without being expected
	ahead  int64 // how many bytes these were
	stats  Stats
	closed bool
}

// piece is bytes of the object: here once ready is closed.
type piece struct {
	Range
	data   []byte
	err    error
	ready  chan struct{}
	done   bool  // ready is closed
	passed bool  // it has been read to its end
	used   int64 // when it was read last
}

// New makes a reader of an object, which is lent until Close. It reads nothing. The object's reads return when their
// context ends.
func New(object spool.Object, o Options) *Reader {
	o.setDefaults()
	r := &Reader{object: object, size: object.Info().Size, options: o, last: -1}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// read reads exactly these bytes: the object's own blocks would be kept twice.
func (r *Reader) read(ctx context.Context, p []byte, off int64) (int, error) {
	return spool.ReadRange(ctx, r.object, p, off)
}

// Info is the object's.
func (r *Reader) Info() spool.ObjectInfo { return r.object.Info() }

// Size is that of the object.
func (r *Reader) Size() int64 { return r.size }

// Stats may be called at any time.
func (r *Reader) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Close ends the reads that are under way and waits for them. Reads fail afterwards.
func (r *Reader) Close() {
	r.mu.Lock()
	r.closed, r.plan = true, nil
	r.mu.Unlock()
	r.stop()
	r.running.Wait()
}

// Some reads at least one byte at off, or gives an error: io.EOF at the end of the object. It gives what there is without a
// further request, which may be less than p has room for. An error of the object is given once; the next read tries again.
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
	if off >= x.Begin+int64(len(x.data)) { // it has become shorter than it was to be
		r.drop(x)
		return 0, x.err
	}
	n := copy(p, x.data[off-x.Begin:])
	if off+int64(n) == x.End {
		x.passed = true
	}
	return n, nil
}

// find gives the piece that has a byte, which is read where it is not there.
func (r *Reader) find(off int64) (*piece, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, context.Canceled
	}
	x := r.at(off)
	switch {
	case x == nil:
		x = r.miss(off)
	case x.End == r.last && r.ahead > r.options.Block: // who reads on comes to the end of what was read ahead
		r.ahead = min(2*r.ahead, r.options.Ahead)
		r.further(false)
	}
	r.clock++
	x.used = r.clock
	if r.options.Near > 0 { // who reads on and leaves out a little does not come back to it
		for i := r.after(off) - 2; i >= 0 && !r.pieces[i].passed; i-- {
			r.pieces[i].passed = true
		}
	}
	r.begin()
	return x, nil
}

// ReadAt reads len(p) bytes at off, like io.ReaderAt, by as many requests as that takes.
func (r *Reader) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Some(ctx, p[n:], off+int64(n))
		n += m
	}
	return n, err
}

// Expect says what will be read, and begins to: side by side as far as the ceiling allows, the rest when room is made by what
// is read to its end. What was expected before comes after it.
func (r *Reader) Expect(list []Range) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.plan = append(slices.Clone(list), r.plan...)
	r.begin()
}

// Await waits until that part of a range has come which is on its way from its beginning on, or failed: a read of it tells.
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

func (x *piece) wait(ctx context.Context) error {
	select {
	case <-x.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// at is the piece that has a byte, or will have; nil without.
func (r *Reader) at(off int64) *piece {
	if i := r.after(off); i > 0 && off < r.pieces[i-1].End {
		return r.pieces[i-1]
	}
	return nil
}

// after is the first piece that begins behind a byte.
func (r *Reader) after(off int64) int {
	i, _ := slices.BinarySearchFunc(r.pieces, off+1, func(x *piece, off int64) int { return int(min(max(x.Begin-off, -1), 1)) })
	return i
}

// miss begins to read at a byte that nobody expected, and in front of who reads on from where the last such read ended.
func (r *Reader) miss(off int64) *piece {
	if r.last >= 0 && r.last <= off && off <= r.last+r.options.Near {
		r.ahead = min(2*r.ahead, r.options.Ahead)
	} else {
		r.ahead = r.options.Block
	}
	r.last = off
	r.further(true)
	return r.at(off)
}

// further begins to read so many bytes as are read ahead, from where the last of these end. What is there already is left.
// Where somebody waits for the first of them, a block is read although there is no room.
func (r *Reader) further(waited bool) {
	for end := min(r.last+r.ahead, r.Size()); r.last < end; waited = false {
		if x := r.at(r.last); x != nil {
			r.last = x.End
			continue
		}
		part := Range{r.last, min(r.last+r.options.Part, end)}
		if i := r.after(part.Begin); i < len(r.pieces) {
			part.End = min(part.End, r.pieces[i].Begin)
		}
		if !r.room(part.Len(), waited) {
			if !waited {
				return
			}
			part.End = min(part.End, part.Begin+r.options.Block)
		}
		r.fetch(part)
		r.last = part.End
	}
}

// begin reads of what is expected what there is room for.
func (r *Reader) begin() {
	for len(r.plan) > 0 {
		part := &r.plan[0]
		for x := r.at(part.Begin); x != nil; x = r.at(part.Begin) { // what is there already
			part.Begin = x.End
		}
		now := Range{part.Begin, min(part.End, part.Begin+r.options.Part, r.Size())}
		if now.Len() <= 0 {
			r.plan = r.plan[1:]
			continue
		}
		if i := r.after(now.Begin); i < len(r.pieces) {
			now.End = min(now.End, r.pieces[i].Begin)
		}
		if !r.room(now.Len(), false) {
			return
		}
		r.fetch(now)
		part.Begin = now.End
	}
}

// room makes room for n bytes: of what was read to its end, or, where it has to be, of whatever is not on its way. What was
// used last goes last.
func (r *Reader) room(n int64, must bool) bool {
	for r.held+n > r.options.Hold {
		var oldest *piece
		for _, x := range r.pieces {
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

// drop forgets a piece, if it has not been already.
func (r *Reader) drop(x *piece) {
	if i := slices.Index(r.pieces, x); i >= 0 {
		r.pieces = slices.Delete(r.pieces, i, i+1)
		r.held -= x.Len()
	}
}

// fetch begins to read a piece that is not there.
func (r *Reader) fetch(part Range) {
	x := &piece{Range: part, ready: make(chan struct{}), used: r.clock}
	r.pieces = slices.Insert(r.pieces, r.after(part.Begin), x)
	r.held += part.Len()
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
