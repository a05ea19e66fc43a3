package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// ring is the slabs of a copier, and what brings them there and back.
type ring struct {
	counters
	device *Device
	held   *lease // nil where batches stay in the host's memory
	there  lane
	back   lane
	free   chan *slab
	down   chan struct{} // closed when failed or closed

	memory *PinnedMemory // where batches stay in the host's memory: of slabs
	stage  slab          // bytes on their way to becoming something else in a slab; whoever holds queue has it

	queue sync.Mutex // held while a copy is queued, so that copies are in the order of slabs taken

	mu      sync.Mutex
	failed  error // of the device; there is no going on
	closed  bool
	ended   bool
	out     int // slabs that are not free
	slabs   []*slab
	spare   []cuda.Event
	flights sync.WaitGroup
}

// counters of a ring.
type counters struct {
	batches, bytes, fetched, waits, slabBytes atomic.Int64
}

// slab is the memory of one batch.
type slab struct {
	host   []byte // of batches that are made in the host's memory
	memory cuda.Pointer
	size   int
	last   *flight      // the copy into it
	users  []cuda.Event // reached when who used it last is through
}

func newRing(d *Device, o CopierOptions) (*ring, error) {
	r := &ring{device: d, free: make(chan *slab, o.Slabs), down: make(chan struct{})}
	for range o.Slabs {
		s := &slab{}
		r.slabs = append(r.slabs, s)
		r.free <- s
	}
	if d.kind != CUDA {
		r.memory = NewPinned(d)
		return r, nil
	}
	if !d.held.retain() {
		return nil, spool.ErrClosed
	}
	r.held = d.held
	if err := r.open(o.SlabBytes); err != nil {
		return nil, errors.Join(r.named(err), r.close())
	}
	return r, nil
}

func (r *ring) open(slabBytes int) (err error) {
	r.there.ring, r.back.ring = r, r
	if r.there.stream, err = r.held.context.NewStream(); err != nil {
		return err
	}
	if r.back.stream, err = r.held.context.NewStream(); err != nil {
		return err
	}
	for _, s := range r.slabs {
		if err := r.grow(s, slabBytes); err != nil {
			return err
		}
	}
	return nil
}

// take waits for a free slab.
func (r *ring) take(ctx context.Context) (*slab, error) {
	var s *slab
	select {
	case s = <-r.free:
	default:
		r.waits.Add(1)
		select {
		case s = <-r.free:
		case <-r.down:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.state(); err != nil {
		if s != nil {
			r.free <- s
		}
		return nil, err
	}
	r.out++
	return s, nil
}

// state is why the ring does not go on, or nil. The caller holds the lock.
func (r *ring) state() error {
	if r.closed {
		return spool.ErrClosed
	}
	return r.failed
}

// give takes a slab back.
func (r *ring) give(s *slab) {
	r.mu.Lock()
	r.free <- s
	r.out--
	last := r.closed && r.out == 0
	r.mu.Unlock()
	if last {
		r.end()
	}
}

// fail has the ring go on no more, if there is an error.
func (r *ring) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = r.named(err)
		if !r.closed {
			close(r.down)
		}
	}
}

func (r *ring) named(err error) error { return spool.InFile(err, r.device.name) }

// send queues what fills a slab.
func (r *ring) send(s *slab, l *load) (*flight, error) {
	r.queue.Lock()
	defer r.queue.Unlock()
	if err := r.grow(s, l.size); err != nil {
		return nil, r.named(err)
	}
	for _, e := range s.users {
		if err := r.held.context.Follow(r.there.stream, e); err != nil {
			return nil, r.named(err)
		}
	}
	f, err := r.there.begin(l.host, l.release, func() error { return l.queue(s) })
	if err != nil {
		return nil, err // the slab is not behind its users yet: only what fills it is
	}
	for _, e := range s.users {
		r.recycle(e)
	}
	s.users, s.last, r.stage.last = s.users[:0], f, f
	r.bytes.Add(int64(len(l.host)))
	return f, nil
}

// fetch queues a copy from the device, behind the copy to it and behind those who use it.
func (r *ring) fetch(b *Batch, from cuda.Pointer, to []byte, release func()) (*flight, error) {
	for _, s := range b.streams {
		if s == r.back.stream {
			continue
		}
		if err := r.chain(s, r.back.stream); err != nil {
			return nil, r.named(err)
		}
	}
	if err := r.held.context.Follow(r.back.stream, b.flight.event); err != nil {
		return nil, r.named(err)
	}
	b.usedBy(r.back.stream)
	f, err := r.back.begin(to, release, func() error { return r.held.context.ToHost(to, from, r.back.stream) })
	if err == nil {
		r.unhold(f)
		r.fetched.Add(int64(len(to)))
	}
	return f, err
}

// chain has what is queued in a stream from now on wait for what is queued in another by now.
func (r *ring) chain(first, then cuda.Stream) error {
	e, err := r.event()
	if err != nil {
		return err
	}
	if err = r.held.context.Record(e, first); err == nil {
		err = r.held.context.Follow(then, e)
	}
	r.recycle(e)
	return err
}

// grow makes a slab that holds n bytes of one that may be smaller.
func (r *ring) grow(s *slab, n int) error {
	if n <= s.size {
		return nil
	}
	if err := r.drop(s); err != nil {
		return err
	}
	memory, err := r.held.context.Alloc(n)
	if err != nil {
		return err
	}
	s.memory, s.size = memory, n
	r.slabBytes.Add(int64(n))
	return nil
}

// drop frees a slab's memory once nobody uses it, and gives the first error.
func (r *ring) drop(s *slab) (first error) {
	if s.last != nil {
		<-s.last.done
		s.last = nil
	}
	for _, e := range s.users {
		if err := r.await(e); first == nil {
			first = err
		}
		r.recycle(e)
	}
	s.users = nil
	if s.size > 0 {
		r.slabBytes.Add(-int64(s.size))
		if err := r.held.context.Free(s.memory); first == nil {
			first = err
		}
		s.memory, s.size = 0, 0
	}
	return first
}

// await waits for an event. What a call reports can be older than what it waits for, and no more than that: the
// second call says whether the event is reached.
func (r *ring) await(e cuda.Event) error {
	err := r.held.context.Wait(e)
	if err != nil {
		_ = r.held.context.Wait(e)
	}
	return err
}

// fence keeps a slab until a stream has done what is queued in it.
func (r *ring) fence(s *slab, stream cuda.Stream) {
	e, err := r.event()
	if err == nil {
		if err = r.held.context.Record(e, stream); err == nil {
			r.mu.Lock()
			s.users = append(s.users, e) // other owners may add theirs
			r.mu.Unlock()
			return
		}
		r.recycle(e)
	}
	r.fail(err)
	_ = r.finish(stream)
}

// finish is await for a stream.
func (r *ring) finish(s cuda.Stream) error {
	err := r.held.context.Finish(s)
	if err != nil {
		_ = r.held.context.Finish(s)
	}
	return err
}

// event gives an event that nobody uses.
func (r *ring) event() (cuda.Event, error) {
	r.mu.Lock()
	if n := len(r.spare); n > 0 {
		e := r.spare[n-1]
		r.spare = r.spare[:n-1]
		r.mu.Unlock()
		return e, nil
	}
	r.mu.Unlock()
	return r.held.context.NewEvent()
}

// recycle takes an event back. Who waits for it on the device already is served when it is recorded anew, too.
func (r *ring) recycle(e cuda.Event) {
	r.mu.Lock()
	r.spare = append(r.spare, e)
	r.mu.Unlock()
}

func (r *ring) close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		if r.failed == nil {
			close(r.down)
		}
	}
	out := r.out
	r.mu.Unlock()
	var leaked error
	if out > 0 {
		leaked = fmt.Errorf("%w: %d batches on %s", spool.ErrLeaked, out, r.device.name)
	} else {
		r.end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.failed, leaked)
}

// end frees everything, when no batch is out and none can come.
func (r *ring) end() {
	r.flights.Wait()
	r.mu.Lock()
	first := !r.ended
	r.ended = true
	r.mu.Unlock()
	if !first {
		return
	}
	if r.held == nil {
		for _, s := range r.slabs {
			r.fail(r.freeHost(s))
		}
		return
	}
	for _, s := range append(r.slabs, &r.stage) {
		r.fail(r.drop(s))
	}
	for _, s := range []cuda.Stream{r.there.stream, r.back.stream} {
		if s != 0 {
			r.fail(r.held.context.CloseStream(s))
		}
	}
	for _, e := range r.spare {
		r.fail(r.held.context.CloseEvent(e))
	}
	r.fail(r.held.release())
}
