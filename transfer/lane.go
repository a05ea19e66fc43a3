package transfer

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda"
)

// lane is a stream of copies in one direction, and the goroutine that waits for them while there are any.
type lane struct {
	ring   *ring
	stream cuda.Stream

	mu      sync.Mutex
	flights []*flight // in the order of the stream
	waiting bool      // somebody waits for them
}

// flight is a copy under way.
type flight struct {
	event   cuda.Event
	host    runtime.Pinner // the device reads or writes there
	release func()
	done    chan struct{}
	err     error        // to be read when done is closed
	holders atomic.Int32 // of the event
}

// begin queues a copy. On error nothing of it is under way any more.
func (l *lane) begin(host []byte, release func(), queue func() error) (*flight, error) {
	e, err := l.ring.event()
	if err != nil {
		return nil, l.ring.named(err)
	}
	f := &flight{event: e, release: release, done: make(chan struct{})}
	if len(host) > 0 {
		f.host.Pin(unsafe.SliceData(host))
	}
	if err = queue(); err == nil {
		err = l.ring.held.context.Record(e, l.stream)
	}
	if err != nil {
		l.ring.fail(l.ring.finish(l.stream))
		f.host.Unpin()
		l.ring.recycle(e)
		return nil, l.ring.named(err)
	}
	f.holders.Store(2) // the lane and the batch
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

// wait ends flights in order, until there are none.
func (l *lane) wait() {
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
		l.ring.unhold(f)
		l.ring.flights.Done()
	}
}

// unhold lets go of a flight's event.
func (r *ring) unhold(f *flight) {
	if f.holders.Add(-1) == 0 {
		r.recycle(f.event)
	}
}
