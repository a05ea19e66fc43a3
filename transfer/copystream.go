package transfer

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda"
)

// copyStream is a stream of copies in one direction. A goroutine waits for them while there are any.
type copyStream struct {
	ring     *ring
	stream   cuda.Stream
	patience time.Duration // for which the goroutine polls before it sleeps

	mu      sync.Mutex
	flights []*flight // in stream order
	waiting bool      // a goroutine waits for them
}

// flight is a copy in flight.
type flight struct {
	event   cuda.Event
	host    runtime.Pinner // memory that the device reads or writes
	release func()
	done    chan struct{}
	err     error        // valid once done is closed
	refs    atomic.Int32 // users of the event
}

// begin queues a copy. After an error nothing of it is in flight.
func (l *copyStream) begin(host []byte, release func(), queue func() error) (*flight, error) {
	e, err := l.ring.event()
	if err != nil {
		return nil, l.ring.named(err)
	}
	f := &flight{event: e, release: release, done: make(chan struct{})}
	if len(host) > 0 {
		f.host.Pin(unsafe.SliceData(host))
	}
	if err = queue(); err == nil {
		err = l.ring.lease.context.Record(e, l.stream)
	}
	if err != nil {
		l.ring.fail(l.ring.finish(l.stream))
		f.host.Unpin()
		l.ring.recycle(e)
		return nil, l.ring.named(err)
	}
	f.refs.Store(2) // the stream and the batch
	l.ring.flights.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flights = append(l.flights, f)
	if !l.waiting {
		l.waiting = true
		go l.wait()
	}
	return f, nil
}

// wait completes flights in order, until there are none.
func (l *copyStream) wait() {
	for {
		l.mu.Lock()
		if len(l.flights) == 0 {
			l.waiting = false
			l.mu.Unlock()
			return
		}
		f := l.flights[0]
		l.flights[0] = nil
		l.flights = l.flights[1:]
		l.mu.Unlock()
		err := l.await(f.event)
		l.ring.fail(err)
		f.err = l.ring.named(err)
		f.host.Unpin()
		f.release()
		close(f.done)
		l.ring.unref(f)
		l.ring.flights.Done()
	}
}

// await waits for an event. The system takes about 40 us to wake a thread that the device interrupts, twice as long as
// a copy of 1 MiB, so it polls first if someone waits for the copy.
func (l *copyStream) await(e cuda.Event) error {
	for begin := time.Now(); time.Since(begin) < l.patience; runtime.Gosched() {
		if reached, err := l.ring.lease.context.Reached(e); err != nil {
			_ = l.ring.lease.context.Wait(e)
			return err
		} else if reached {
			return nil
		}
	}
	return l.ring.await(e)
}

// unref gives up one use of a flight's event.
func (r *ring) unref(f *flight) {
	if f.refs.Add(-1) == 0 {
		r.recycle(f.event)
	}
}
