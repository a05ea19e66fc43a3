package object

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// limiter is how many requests there are at a time to one host: as many as pay, and fewer where the server asks for it.
//
// It looks at rounds of as many answers as there may be requests, which is about one round trip. A round that moved more
// bytes a second than the best before it, by growth, is followed by one of twice the requests. One that did not has
// shown that fewer are enough: the number goes back, and is tried again only after rest rounds, since networks change.
// That is TCP's slow start, with the throughput in place of losses for a sign, which servers of objects seldom give; when
// they do (503), the number is halved, once a round trip. It doubles again up to three quarters of what was too much, and goes
// from there in small steps, of which each may be too much again.
//
// A round that was lucky makes the number too high, and only answers late. So where answers begin far later than the
// quickest, half of the number is tried after a rest, and is enough where it brings as much.
type limiter struct {
	most int

	mu     sync.Mutex
	limit  int
	inUse  int
	queue  list.List // of chan struct{}, who waits
	paused time.Time // nothing begins before

	begun   time.Time // of the round
	answers int
	bytes   int64
	idle    bool          // in this round there was a turn that nobody took
	begins  time.Duration // until the answers began, all of them together
	best    float64       // bytes a second, of the number that limit was found with
	enough  int           // what to go back to: the number that best was reached with
	resting int           // rounds until more are tried
	usual   float64       // bytes a second while it rested
	half    bool          // half of what was enough is being tried
	skip    int           // rounds of it that do not tell yet
	quick   time.Duration // until the quickest answer began
	halved  time.Time
	fine    int // answers since then
	safe    int // three quarters of what was too much
}

const (
	growth  = 1.05 // what more requests have to bring
	rest    = 32   // rounds
	least   = 2
	waiting = 3 // times the quickest: answers that begin so late have waited for each other
	// draining is the rounds after a number was halved that do not tell: what is on its way beyond it comes in the first, and the rest
	// of what had begun at the old rate in the second.
	draining = 2
	// shortestRound is for servers that answer at once, of which a round of a few milliseconds says little.
	shortestRound = 100 * time.Millisecond
)

func newLimiter(begin, most int) *limiter {
	return &limiter{most: most, limit: min(begin, most), enough: min(begin, most), begun: time.Now()}
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

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-turn: // it came at the same moment
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

// extra takes a turn beyond the limit, for a second request: where there are always some who wait, none would ever come else.
// It is false while nothing may begin.
func (l *limiter) extra() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.paused) {
		return false
	}
	l.inUse++
	return true
}

// release gives a turn back. bytes is what came, began how long that took to begin, good whether the request was one that tells of the
// network: failures do not.
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

// round looks at what the last answers brought.
func (l *limiter) round(now time.Time) {
	rate := float64(l.bytes) / now.Sub(l.begun).Seconds()
	idle, wait := l.idle, l.begins > time.Duration(waiting*l.answers)*l.quick
	l.restart(now)
	if idle {
		return // whoever asks was the limit: the round says nothing about the network
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

// rests goes back to what is enough, and leaves it there for a while.
func (l *limiter) rests() {
	l.limit, l.resting, l.half = l.enough, rest, false
	l.best, l.usual = 0, 0 // what is best by then is found anew
}

func (l *limiter) tryHalf() { l.half, l.skip, l.limit = true, draining, l.enough/2 }

// halfOf looks at a round with half of what was enough.
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

// slow halves the number, since the server asks for it, and lets nothing begin for the time that it says.
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
	if l.fine >= l.limit || l.halved.IsZero() { // a server that refuses everything does not say how much is too much
		l.safe = max(l.limit*3/4, least)
	}
	l.halved, l.fine, l.limit, l.half = now, 0, half, false
	l.restart(now)
}

// next wakes those whose turn it is.
func (l *limiter) next() {
	for l.inUse < l.limit && l.queue.Len() > 0 && !time.Now().Before(l.paused) {
		l.inUse++
		close(l.queue.Remove(l.queue.Front()).(chan struct{}))
	}
}

// sleep waits, or gives the cause of ctx's end.
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

// state is how many requests there are, and may be.
func (l *limiter) state() (inUse, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse, l.limit
}
