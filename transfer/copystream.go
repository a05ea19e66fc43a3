package transfer

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda"
)

// copyStream is a stream of copies in one direction. A goroutine waits for them while there are any.
type copyStream struct {
	ring   *ring
	stream cuda.Stream

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
		err := l.ring.await(f.event)
		l.ring.fail(err)
		f.err = l.ring.named(err)
		f.host.Unpin()
		f.release()
		close(f.done)
		l.ring.unref(f)
		l.ring.flights.Done()
	}
}

// unref gives up one use of a flight's event.
func (r *ring) unref(f *flight) {
	if f.refs.Add(-1) == 0 {
		r.recycle(f.event)
	}
}
