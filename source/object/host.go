package object

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// host is what all requests to one store share.
type host struct {
	server  *server
	limiter *limiter
	delays  latencies // until answers begin
	twice   budget
	options *Options
	running *sync.WaitGroup // goroutines of requests

	answered                                                  atomic.Bool // ever, whatever it was
	requests, retries, hedges, won, throttled, damaged, bytes atomic.Int64
}

// read fills memory with the object's bytes at off. What has come when a request fails is kept. What does not add up to the
// object's checksum is read once more.
func (h *host) read(ctx context.Context, o *Object, memory scatter, off int64) (n int, err error) {
	for last := false; ; last = true {
		var sum *checksum
		n = 0
		err = h.insist(ctx, func() (bool, error) {
			m, told, err := h.part(ctx, o, memory.from(int64(n)), off+int64(n))
			if n += m; told != nil {
				sum = told
			}
			return m > 0, err
		})
		if err != nil || sum == nil || sum.holds(memory) {
			return n, err
		}
		h.damaged.Add(1)
		if last {
			return 0, damaged{sum.name}
		}
	}
}

// insist repeats what fails as long as there is hope and patience. once says whether it has come further, also where it fails.
func (h *host) insist(ctx context.Context, once func() (further bool, err error)) error {
	began := time.Now()
	for try := 0; ; try++ {
		further, err := once()
		a, answered := errors.AsType[*answer](err)
		if answered || err == nil {
			h.answered.Store(true)
		}
		if err == nil {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, errPaused) {
			continue // its budget is that of second requests
		}
		if further {
			try = 0
		}
		wait := jitter(try)
		switch remedyOf(err) {
		case giveUp:
			return err
		case slowly:
			after := time.Duration(0)
			if answered {
				after = min(a.after, mostAfter)
			}
			p50, _, _ := h.delays.quantiles()
			h.throttled.Add(1)
			h.limiter.slow(after, max(p50, shortest))
			wait += after
		case again:
		}
		if time.Since(began)+wait > h.patience() {
			return err
		}
		h.retries.Add(1)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// patience is how long what fails is tried again. A store that has never answered is called otherwise, more likely than not.
func (h *host) patience() time.Duration {
	if h.answered.Load() {
		return h.options.Patience
	}
	return min(h.options.Patience, unheard)
}

const unheard = 10 * time.Second

// Times between attempts: the first is about one round trip. The last is short, since what is read in order waits for the one that waits
// longest; a server that is overloaded is spared by the limiter, which has all of them send a few requests at a time.
const (
	shortest = 100 * time.Millisecond
	longest  = 2 * time.Second
)

// mostAfter is the longest Retry-After that is followed to the letter.
const mostAfter = 30 * time.Second

// jitter is a random time of up to twice the one before it ("full jitter"), so that those who failed together do not come
// back together.
func jitter(try int) time.Duration {
	return rand.N(min(shortest<<min(try, 10), longest))
}

// part sends one request for memory, or two when the answer is late, and reads the body of the first answer.
func (h *host) part(ctx context.Context, o *Object, memory scatter, off int64) (n int, sum *checksum, err error) {
	if err := h.limiter.acquire(ctx); err != nil {
		return 0, nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// One guard for all of it: whatever waits, waits no longer than for this.
	guard := time.AfterFunc(h.options.Timeout, func() { stop(errStalled) })
	defer guard.Stop()

	size := memory.size()
	got := h.race(ctx, o, stretch{off, size, off == 0 && size == o.entry.Size})
	good := got.err == nil
	defer func() { h.limiter.release(int64(n), got.after, good && err == nil) }()
	if !good {
		return 0, nil, stalled(ctx, got.err)
	}
	defer got.body.Close()
	o.learn(got.info)
	// A body that stops is asked for anew from there on, within the same budget as answers that are late to begin.
	quiet := max(4*h.delays.late(), time.Second)
	pause := time.AfterFunc(quiet, func() {
		if h.options.HedgeShare > 0 && h.twice.spend() {
			h.hedges.Add(1)
			stop(errPaused)
		}
	})
	defer pause.Stop()
	for _, p := range memory {
		for len(p) > 0 {
			m, err := got.body.Read(p)
			guard.Reset(h.options.Timeout)
			pause.Reset(quiet)
			p = p[m:]
			n += m
			h.bytes.Add(int64(m))
			if err != nil && int64(n) < size {
				return n, got.info.sum, stalled(ctx, err)
			}
		}
	}
	return n, got.info.sum, nil
}

// stalled is err, or that a guard has ended the request, which the network tells as that it was cancelled.
func stalled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) || errors.Is(cause, errPaused) {
		return cause
	}
	return err
}

// begun is the beginning of an answer.
type begun struct {
	body   io.ReadCloser
	info   info
	err    error
	after  time.Duration // its request was sent
	second bool
}

// race gives the first answer of one request or two. The turn that the second takes is given back when the slower has ended.
func (h *host) race(ctx context.Context, o *Object, r stretch) begun {
	answers := make(chan begun, 2)
	stops := [2]context.CancelFunc{}
	h.twice.earn()
	start := func(second bool) {
		ctx, stop := context.WithCancel(ctx)
		i := 0
		if second {
			i = 1
		}
		stops[i] = stop
		h.requests.Add(1)
		h.running.Go(func() {
			began := time.Now()
			body, info, err := h.server.get(ctx, o.key, r, o.version())
			after := time.Since(began)
			if err == nil {
				h.delays.add(after)
				body = &ending{body, stop}
			} else {
				stop()
			}
			answers <- begun{body, info, err, after, second}
		})
	}
	start(false)
	late := h.delays.late()
	if late == 0 || h.options.HedgeShare < 0 {
		return <-answers
	}
	timer := time.NewTimer(late)
	defer timer.Stop()
	var first begun
	both := false
	for waiting := true; waiting; {
		select {
		case first = <-answers:
			waiting = false
		case <-timer.C:
			if both = h.second(); both {
				start(true)
			} else {
				timer.Reset(late / 4)
			}
		}
	}
	if !both {
		return first
	}
	if first.err != nil { // the other may still be good
		h.limiter.release(0, 0, false)
		other := <-answers
		h.count(other)
		return other
	}
	h.count(first)
	if first.second {
		stops[0]()
	} else {
		stops[1]()
	}
	h.running.Go(func() {
		if other := <-answers; other.err == nil {
			other.body.Close()
		}
		h.limiter.release(0, 0, false)
	})
	return first
}

// second asks for the turn of a second request.
func (h *host) second() bool {
	if !h.twice.spend() || !h.limiter.extra() {
		return false
	}
	h.hedges.Add(1)
	return true
}

func (h *host) count(b begun) {
	if b.second && b.err == nil {
		h.won.Add(1)
	}
}

// ending is a body that ends its request's context when it is closed.
type ending struct {
	io.ReadCloser
	stop context.CancelFunc
}

func (e *ending) Close() error {
	e.stop()
	return e.ReadCloser.Close()
}

// ask is a request without a body of its own: it has its turn and its time like others.
func (h *host) ask(ctx context.Context, send func(context.Context) error) error {
	return h.insist(ctx, func() (bool, error) { return false, h.once(ctx, send) })
}

// once sends one request of few bytes, and no other where it fails.
func (h *host) once(ctx context.Context, send func(context.Context) error) error {
	if err := h.limiter.acquire(ctx); err != nil {
		return err
	}
	defer h.limiter.release(0, 0, false)
	ctx, stop := context.WithTimeoutCause(ctx, h.options.Timeout, errStalled)
	defer stop()
	h.requests.Add(1)
	return stalled(ctx, send(ctx))
}
