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

// host is the state that all requests to one store share.
type host struct {
	server      *server
	limiter     *limiter
	delays      latencies // until answers begin
	hedgeBudget budget
	options     *Options
	running     *sync.WaitGroup // goroutines of requests

	answered                                                  atomic.Bool // any answer has ever come
	served                                                    atomic.Bool // one that was no error
	requests, retries, hedges, won, throttled, damaged, bytes atomic.Int64
}

// read fills p with the object's bytes at off. It keeps the bytes that arrived before a request failed. If the
// bytes do not match the object's checksum, they are read once more.
func (h *host) read(ctx context.Context, o *Object, p []byte, off int64) (n int, err error) {
	for last := false; ; last = true {
		var sum *checksum
		n = 0
		err = h.retry(ctx, func() (bool, error) {
			m, found, err := h.part(ctx, o, p[n:], off+int64(n))
			if n += m; found != nil {
				sum = found
			}
			return m > 0, err
		})
		if err != nil || sum == nil || sum.holds(p) {
			return n, err
		}
		h.damaged.Add(1)
		if last {
			return 0, damaged{sum.name}
		}
	}
}

// retry retries failures that may be temporary until their time is over. request reports progress, even when it fails.
func (h *host) retry(ctx context.Context, request func() (progress bool, err error)) error {
	began := time.Now()
	for attempt := 0; ; attempt++ {
		progress, err := request()
		a, answered := errors.AsType[*serverError](err)
		if answered || err == nil {
			h.answered.Store(true)
		}
		if err == nil {
			h.served.Store(true)
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if errors.Is(err, errPaused) {
			continue // limited by the budget of hedges
		}
		if progress {
			attempt = 0
		}
		wait, what := jitter(attempt), remedyOf(err)
		if answered && a.code == clockCode && h.served.Load() {
			what = retry // the clock was right before, so something may correct it again
		}
		switch what {
		case fatal:
			return err
		case retrySlowly:
			after := time.Duration(0)
			if answered {
				after = min(a.after, mostAfter)
			}
			p50, _, _ := h.delays.quantiles()
			h.throttled.Add(1)
			h.limiter.slow(after, max(p50, shortest))
			wait += after
		case retry:
		}
		if time.Since(began)+wait > h.retryTime() {
			return err
		}
		h.retries.Add(1)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// retryTime returns how long failures are retried. The URL of a store that has never answered is probably wrong.
func (h *host) retryTime() time.Duration {
	if h.answered.Load() {
		return h.options.RetryTime
	}
	return min(h.options.RetryTime, unansweredRetryTime)
}

const unansweredRetryTime = 10 * time.Second

// Times between attempts. The first is about one round trip. The last is short, since ordered output waits for the
// sample that waits longest. The limiter protects an overloaded server: it lets all of them send few requests at a
// time.
const (
	shortest = 100 * time.Millisecond
	longest  = 2 * time.Second
)

// mostAfter is the longest Retry-After that is obeyed in full.
const mostAfter = 30 * time.Second

// jitter returns a random time whose maximum doubles with each try ("full jitter"), so that requests that failed
// together are not retried together.
func jitter(try int) time.Duration {
	return rand.N(min(shortest<<min(try, 10), longest))
}

// part sends one request for len(p) bytes, or two if the answer is late, and reads the body of the first answer.
func (h *host) part(ctx context.Context, o *Object, p []byte, off int64) (n int, sum *checksum, err error) {
	if err := h.limiter.acquire(ctx); err != nil {
		return 0, nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// One guard for the whole request: the first byte, and then each quota of bytes, must come within Timeout.
	guard := time.AfterFunc(h.options.Timeout, func() { stop(errStalled) })
	defer guard.Stop()

	got := h.race(ctx, o, byteRange{off, int64(len(p)), off == 0 && int64(len(p)) == o.entry.Size})
	good := got.err == nil
	defer func() { h.limiter.release(int64(n), got.latency, good && err == nil) }()
	if !good {
		return 0, nil, stalled(ctx, got.err)
	}
	defer got.body.Close()
	o.learn(got.info)
	// A body that stops is requested again from there, within the same budget as answers that begin late.
	quiet := max(4*h.delays.late(), time.Second)
	pause := time.AfterFunc(quiet, func() {
		if h.options.HedgeShare > 0 && h.hedgeBudget.spend() {
			h.hedges.Add(1)
			stop(errPaused)
		}
	})
	defer pause.Stop()
	guard.Reset(h.options.Timeout)
	quota := h.options.quota()
	for sinceGuard := 0; n < len(p); {
		m, err := got.body.Read(p[n:])
		if sinceGuard += m; sinceGuard >= quota {
			guard.Reset(h.options.Timeout)
			sinceGuard = 0
		}
		pause.Reset(quiet)
		n += m
		h.bytes.Add(int64(m))
		if err != nil && n < len(p) {
			return n, got.info.sum, stalled(ctx, err)
		}
	}
	return n, got.info.sum, nil
}

// stalled returns err, or the cause if a guard has ended the request, which the network reports as a cancellation.
func stalled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) || errors.Is(cause, errPaused) {
		return cause
	}
	return err
}

// response is the beginning of an answer.
type response struct {
	body    io.ReadCloser
	info    info
	err     error
	latency time.Duration // how long after its request
	hedge   bool
}

// race returns the first answer of one request or two. The slower one's turn is released when it has ended.
func (h *host) race(ctx context.Context, o *Object, r byteRange) response {
	answers := make(chan response, 2)
	stops := [2]context.CancelFunc{}
	h.hedgeBudget.earn()
	start := func(hedge bool) {
		ctx, stop := context.WithCancel(ctx)
		i := 0
		if hedge {
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
				body = &cancelingBody{body, stop}
			} else {
				stop()
			}
			answers <- response{body, info, err, after, hedge}
		})
	}
	start(false)
	late := h.delays.late()
	if late == 0 || h.options.HedgeShare < 0 {
		return <-answers
	}
	timer := time.NewTimer(late)
	defer timer.Stop()
	var first response
	hedged := false
	for waiting := true; waiting; {
		select {
		case first = <-answers:
			waiting = false
		case <-timer.C:
			if hedged = h.hedge(); hedged {
				start(true)
			} else {
				timer.Reset(late / 4)
			}
		}
	}
	if !hedged {
		return first
	}
	if first.err != nil { // the other may still succeed
		h.limiter.release(0, 0, false)
		other := <-answers
		h.count(other)
		return other
	}
	h.count(first)
	if first.hedge {
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

// hedge takes the budget and the turn for a second request.
func (h *host) hedge() bool {
	if !h.hedgeBudget.spend() || !h.limiter.extra() {
		return false
	}
	h.hedges.Add(1)
	return true
}

func (h *host) count(b response) {
	if b.hedge && b.err == nil {
		h.won.Add(1)
	}
}

// cancelingBody is a body that ends its request's context when it is closed.
type cancelingBody struct {
	io.ReadCloser
	stop context.CancelFunc
}

func (e *cancelingBody) Close() error {
	e.stop()
	return e.ReadCloser.Close()
}

// ask sends a request that reads no range of an object. It is limited and retried like others.
func (h *host) ask(ctx context.Context, send func(context.Context) error) error {
	return h.retry(ctx, func() (bool, error) { return false, h.once(ctx, send) })
}

// once sends one request with a small answer, without retries.
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

// write sends a request with a body, until it succeeds or may not be repeated. The server must take some of the body,
// or answer, within each Timeout.
func (h *host) write(ctx context.Context, data []byte, send func(ctx context.Context, c *content) error) error {
	return h.retry(ctx, func() (bool, error) {
		if err := h.limiter.acquire(ctx); err != nil {
			return false, err
		}
		defer h.limiter.release(0, 0, false)
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		guard := time.AfterFunc(h.options.Timeout, func() { stop(errStalled) })
		defer guard.Stop()
		h.requests.Add(1)
		c := &content{bytes: data, sent: func() { guard.Reset(h.options.Timeout) }}
		err := stalled(ctx, send(ctx, c))
		stop(nil)
		c.open.Wait() // then the caller may use the memory
		return false, err
	})
}
