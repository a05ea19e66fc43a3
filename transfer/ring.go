package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// ring is the slabs of a copier, and the streams that copy to and from them.
type ring struct {
	counters
	device   *Device
	lease    *lease // nil if batches stay in host memory
	upload   copyStream
	download copyStream
	free     chan *slab
	stopped  chan struct{} // closed when failed or closed

	memory  *PinnedMemory // memory of slabs, if batches stay in host memory
	staging slab          // input that is converted into a slab; guarded by queue

	queue sync.Mutex // held while a copy is queued, so that copies have the order in which slabs were taken

	mu      sync.Mutex
	failed  error // failure of the device; permanent
	closed  bool
	ended   bool
	inUse   int // slabs that are not free
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
	host   []byte // for batches that are made in host memory
	memory cuda.Pointer
	size   int
	last   *flight      // the copy into it
	users  []cuda.Event // reached when the last users of the slab have finished
}

func newRing(d *Device, o CopierOptions) (*ring, error) {
	r := &ring{device: d, free: make(chan *slab, o.Slabs), stopped: make(chan struct{})}
	for range o.Slabs {
		s := &slab{}
		r.slabs = append(r.slabs, s)
		r.free <- s
	}
	if d.kind != CUDA {
		r.memory = NewPinnedMemory(d)
		return r, nil
	}
	if !d.lease.retain() {
		return nil, spool.ErrClosed
	}
	r.lease = d.lease
	if err := r.open(o.SlabBytes); err != nil {
		return nil, errors.Join(r.named(err), r.close())
	}
	return r, nil
}

func (r *ring) open(slabBytes int) (err error) {
	r.upload.ring, r.download.ring = r, r
	r.download.patience = 200 * time.Microsecond
	if r.upload.stream, err = r.lease.context.NewStream(); err != nil {
		return err
	}
	if r.download.stream, err = r.lease.context.NewStream(); err != nil {
		return err
	}
	for _, s := range r.slabs {
		if err := r.grow(s, slabBytes); err != nil {
			return err
		}
	}
	return nil
}

// acquire waits for a free slab.
func (r *ring) acquire(ctx context.Context) (*slab, error) {
	var s *slab
	select {
	case s = <-r.free:
	default:
		r.waits.Add(1)
		select {
		case s = <-r.free:
		case <-r.stopped:
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
	r.inUse++
	return s, nil
}

// state returns the reason why the ring has stopped, or nil. The caller holds the lock.
func (r *ring) state() error {
	if r.closed {
		return spool.ErrClosed
	}
	return r.failed
}

// put returns a slab to the free ones.
func (r *ring) put(s *slab) {
	r.mu.Lock()
	r.free <- s
	r.inUse--
	last := r.closed && r.inUse == 0
	r.mu.Unlock()
	if last {
		r.end()
	}
}

// fail stops the ring, unless err is nil.
func (r *ring) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = r.named(err)
		if !r.closed {
			close(r.stopped)
		}
	}
}

func (r *ring) named(err error) error { return spool.InFile(err, r.device.name) }

// send queues the work that fills a slab.
func (r *ring) send(s *slab, l *load) (*flight, error) {
	r.queue.Lock()
	defer r.queue.Unlock()
	if err := r.grow(s, l.size); err != nil {
		return nil, r.named(err)
	}
	for _, e := range s.users {
		if err := r.lease.context.Follow(r.upload.stream, e); err != nil {
			return nil, r.named(err)
		}
	}
	f, err := r.upload.begin(l.host, l.release, func() error { return l.queue(s) })
	if err != nil {
		return nil, err // s keeps its users: no copy has completed after them
	}
	for _, e := range s.users {
		r.recycle(e)
	}
	s.users, s.last, r.staging.last = s.users[:0], f, f
	r.bytes.Add(int64(len(l.host)))
	return f, nil
}

// fetch queues a copy from the device, after the copy to it and after the work of its users.
func (r *ring) fetch(b *Batch, from cuda.Pointer, to []byte, release func()) (*flight, error) {
	for _, s := range b.streams {
		if s == r.download.stream {
			continue
		}
		if err := r.chain(s, r.download.stream); err != nil {
			return nil, r.named(err)
		}
	}
	if err := r.lease.context.Follow(r.download.stream, b.flight.event); err != nil {
		return nil, r.named(err)
	}
	b.usedBy(r.download.stream)
	f, err := r.download.begin(to, release, func() error { return r.lease.context.ToHost(to, from, r.download.stream) })
	if err == nil {
		r.unref(f)
		r.fetched.Add(int64(len(to)))
	}
	return f, err
}

// chain makes future work in stream then wait for the current work in stream first.
func (r *ring) chain(first, then cuda.Stream) error {
	e, err := r.event()
	if err != nil {
		return err
	}
	if err = r.lease.context.Record(e, first); err == nil {
		err = r.lease.context.Follow(then, e)
	}
	r.recycle(e)
	return err
}

// grow enlarges a slab to at least n bytes.
func (r *ring) grow(s *slab, n int) error {
	if n <= s.size {
		return nil
	}
	if err := r.drop(s); err != nil {
		return err
	}
	memory, err := r.alloc(n)
	if err != nil {
		return err
	}
	s.memory, s.size = memory, n
	r.slabBytes.Add(int64(n))
	return nil
}

// alloc allocates device memory, which is first used in the upload stream.
func (r *ring) alloc(n int) (cuda.Pointer, error) {
	if r.device.memory == nil {
		return r.lease.context.Alloc(n)
	}
	memory, err := r.device.memory.Alloc(n, r.device.number, spool.DeviceStream(r.upload.stream))
	return cuda.Pointer(memory), err
}

// dealloc frees the memory of a slab.
func (r *ring) dealloc(s *slab) error {
	if r.device.memory == nil {
		return r.lease.context.Free(s.memory)
	}
	return r.device.memory.Free(uint64(s.memory), s.size, r.device.number, spool.DeviceStream(r.upload.stream))
}

// drop frees a slab's memory once it is unused, and returns the first error.
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
		if err := r.dealloc(s); first == nil {
			first = err
		}
		s.memory, s.size = 0, 0
	}
	return first
}

// await waits for an event. A call may report an older error instead of waiting, but only once: the second call waits
// for the event.
func (r *ring) await(e cuda.Event) error {
	err := r.lease.context.Wait(e)
	if err != nil {
		_ = r.lease.context.Wait(e)
	}
	return err
}

// fence keeps a slab until a stream has completed the work that is queued in it.
func (r *ring) fence(s *slab, stream cuda.Stream) {
	e, err := r.event()
	if err == nil {
		if err = r.lease.context.Record(e, stream); err == nil {
			r.mu.Lock()
			s.users = append(s.users, e) // other owners may append concurrently
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
	err := r.lease.context.Finish(s)
	if err != nil {
		_ = r.lease.context.Finish(s)
	}
	return err
}

// event returns an unused event.
func (r *ring) event() (cuda.Event, error) {
	r.mu.Lock()
	if n := len(r.spare); n > 0 {
		e := r.spare[n-1]
		r.spare = r.spare[:n-1]
		r.mu.Unlock()
		return e, nil
	}
	r.mu.Unlock()
	return r.lease.context.NewEvent()
}

// recycle makes an event available again. Streams that already wait for it are not affected when it is recorded again.
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
			close(r.stopped)
		}
	}
	inUse := r.inUse
	r.mu.Unlock()
	var leaked error
	if inUse > 0 {
		leaked = fmt.Errorf("%w: %d batches on %s", spool.ErrLeaked, inUse, r.device.name)
	} else {
		r.end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.failed, leaked)
}

// end frees everything, once no batch is out and none can follow.
func (r *ring) end() {
	r.flights.Wait()
	r.mu.Lock()
	first := !r.ended
	r.ended = true
	r.mu.Unlock()
	if !first {
		return
	}
	if r.lease == nil {
		for _, s := range r.slabs {
			r.fail(r.freeHost(s))
		}
		return
	}
	for _, s := range append(r.slabs, &r.staging) {
		r.fail(r.drop(s))
	}
	for _, s := range []cuda.Stream{r.upload.stream, r.download.stream} {
		if s != 0 {
			r.fail(r.lease.context.CloseStream(s))
		}
	}
	for _, e := range r.spare {
		r.fail(r.lease.context.CloseEvent(e))
	}
	r.fail(r.lease.release())
}
