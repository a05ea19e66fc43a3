package object

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/spoolmedia/spool/internal/parts"
)

// limiter limits the requests in flight to one host: to as many as increase the throughput, and to fewer if the server
// asks for it.
//
// It measures rounds of as many answers as requests may be in flight, which is about one round trip. If a round's
// throughput exceeds the best one before it by the factor growth, the limit doubles. Otherwise fewer requests are
// enough: the limit goes back, and a higher one is tried only after rest rounds, since networks change. This is TCP's
// slow start with throughput as the signal, in place of losses, which object servers seldom report. When they do (503),
// the limit is halved, at most once a round trip. It doubles again up to three quarters of the limit that was too high,
// and then grows in small steps, since each may be too much again.
//
// A lucky round makes the limit too high, which only delays answers. So if answers begin far later than the quickest
// one, half of the limit is tried after a rest, and kept if its throughput is as high.
type limiter struct {
	first, most int

	mu     sync.Mutex
	limit  int
	inUse  int
	queue  list.List // of chan struct{}: waiting requests
	paused time.Time // no request begins before

	// The current round.
	begun   time.Time
	answers int
	bytes   int64
	idle    bool          // fewer requests were made than the limit allows
	begins  time.Duration // sum of the times until the answers began

	// Earlier rounds.
	best    float64       // the highest throughput, in bytes a second
	enough  int           // the limit with which it was reached
	resting int           // rounds until a higher limit is tried
	usual   float64       // throughput while resting
	quick   time.Duration // time until the quickest answer began

	// Trying half of enough.
	half bool
	skip int // rounds that are still to pass before it is measured

	// After the server asked for fewer requests.
	halved time.Time
	fine   int // good answers since then
	safe   int // three quarters of the limit that was too high
}

const (
	growth = 1.05 // throughput that a higher limit has to bring, as a factor
	rest   = 32   // rounds
	least  = 2
	// waiting is a multiple of quick. Answers that begin later than that have waited for each other.
	waiting = 3
	// draining is the number of rounds after halving that are not measured. In the first, more requests are in flight
	// than the new limit allows. In the second, the last requests end that began at the old rate.
	draining = 2
	// shortestRound is for servers that answer at once: a round of a few milliseconds means little.
	shortestRound = 100 * time.Millisecond
)

func newLimiter(begin, most int) *limiter {
	begin = min(begin, most)
	return &limiter{first: begin, most: most, limit: begin, enough: begin, begun: time.Now()}
}

// acquire waits for a request's turn.
func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.free() {
		l.inUse++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	place := l.queue.PushBack(turn)
	l.mu.Unlock()
	defer parts.Waited(ctx, time.Now())

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-turn: // granted at the same moment
		l.inUse--
		l.next()
	default:
		l.queue.Remove(place)
	}
	return ctx.Err()
}

// free reports whether a request may begin at once.
func (l *limiter) free() bool {
	return l.inUse < l.limit && l.queue.Len() == 0 && !time.Now().Before(l.paused)
}

// extra takes a turn beyond the limit, for a hedge: while requests wait in the queue, a hedge would never get one. It
// returns false while no request may begin.
func (l *limiter) extra() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.paused) {
		return false
	}
	l.inUse++
	return true
}

// release gives a turn back. bytes is the size of the answer, began the time until it began. good reports whether the
// request measures the network: failures do not.
func (l *limiter) release(bytes int64, began time.Duration, good bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse--
	if good {
		l.answers++
		l.fine++
		l.bytes += bytes
		l.begins += began
		if l.quick == 0 || began < l.quick {
			l.quick = began
		}
		if now := time.Now(); l.answers >= l.limit && now.Sub(l.begun) >= shortestRound {
			l.round(now)
		}
	}
	l.next()
	l.idle = l.idle || (l.inUse < l.limit && l.queue.Len() == 0)
}

// round evaluates the last answers.
func (l *limiter) round(now time.Time) {
	rate := float64(l.bytes) / now.Sub(l.begun).Seconds()
	idle, wait := l.idle, l.begins > time.Duration(waiting*l.answers)*l.quick
	l.restart(now)
	if idle {
		return // the readers were the limit: the round does not measure the network
	}
	switch {
	case l.half:
		l.halfOf(rate, wait)
	case l.limit < l.safe:
		l.limit = min(2*l.limit, l.safe)
	case l.limit < l.enough:
		l.limit = min(l.limit+max(l.safe/16, 1), l.enough)
	case l.resting > 0:
		l.resting--
		l.best = max(l.best, rate)
		l.usual += rate / rest
	case rate > l.best*growth:
		l.best, l.enough = rate, l.limit
		l.limit = min(2*l.limit, l.most)
	case wait && l.usual > 0 && l.limit == l.enough && l.limit >= 2*least:
		l.tryHalf()
	default:
		l.rests()
	}
}

// restart begins a round.
func (l *limiter) restart(now time.Time) {
	l.begun, l.answers, l.bytes, l.begins, l.idle = now, 0, 0, 0, false
}

// rests goes back to enough, and keeps that limit for a while.
func (l *limiter) rests() {
	l.limit, l.resting, l.half = l.enough, rest, false
	l.best, l.usual = 0, 0 // measured again
}

func (l *limiter) tryHalf() { l.half, l.skip, l.limit = true, draining, l.enough/2 }

// halfOf evaluates a round with half of enough.
func (l *limiter) halfOf(rate float64, wait bool) {
	switch {
	case l.skip > 0:
		l.skip--
	case rate*growth < l.usual:
		l.rests()
	default:
		if l.enough = l.limit; wait && l.limit >= 2*least {
			l.tryHalf()
		} else {
			l.rests()
		}
	}
}

// slow halves the limit because the server asks for it, and lets no request begin during pause.
func (l *limiter) slow(pause, roundTrip time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if until := now.Add(pause); until.After(l.paused) {
		l.paused = until
		time.AfterFunc(pause, func() {
			l.mu.Lock()
			l.next()
			l.mu.Unlock()
		})
	}
	if now.Sub(l.halved) < roundTrip {
		return // requests of the same moment fail together
	}
	half := max(l.limit/2, least)
	if l.fine >= l.limit || l.halved.IsZero() { // a server that refuses everything does not show how much is too much
		l.safe = max(l.limit*3/4, least)
	}
	l.halved, l.fine, l.limit, l.half = now, 0, half, false
	l.restart(now)
}

// next wakes the requests whose turn it is.
func (l *limiter) next() {
	for l.inUse < l.limit && l.queue.Len() > 0 && !time.Now().Before(l.paused) {
		l.inUse++
		close(l.queue.Remove(l.queue.Front()).(chan struct{}))
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// state returns the number of requests in flight, and the limit.
func (l *limiter) state() (inUse, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse, l.limit
}
