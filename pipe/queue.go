package pipe

import (
	"math"
	"math/bits"
	"sync"
)

// queue carries a stage's results to the next: a ring of places, filled in any order and emptied in
// the order of their positions.
//
// A worker reserves a place before it takes the item whose result will need it. So finished results
// never wait in a worker's hands, and what is in work and what waits are bounded together by limit.
// A place gets its position from the item (order of input: the item's number) or when the result
// arrives (order of completion); that is all the difference between the two orders. In order of input
// every number is answered by put, skip or finish, and because an item is numbered only after a place is
// reserved for it, its number is always less than head + limit: it has a place in the ring.
//
// Whoever stops waiting wakes the next waiter if that one need not wait either. So one Signal for
// each change is enough, however many results a change sets free.
type queue[T any] struct {
	order   Order
	release func(T) // for results that nobody takes

	mu     sync.Mutex
	ready  sync.Cond // takers: the place at head is filled, or no more will come
	room   sync.Cond // workers: a place is free, or no more are wanted
	places []place[T]
	limit  int   // places that may be reserved; len(places) is the power of two above
	used   int   // reserved and not yet emptied or given back
	filled int   // holding a result
	head   int64 // the next position to be taken
	tail   int64 // the next position to be given, in order of completion
	end    int64 // results from here on are not wanted: forever until finish or stop
	taken  int64 // items handed out so far, which numbers them
	closed bool
	err    error // why the stream ended, nil if because there was no more

	looks, seen int64 // takes, and results they found waiting, for the mean fill
}

type place[T any] struct {
	state state
	value T
}

type state uint8

const (
	empty state = iota
	full
	skipped // its item failed: the place is passed over
)

const forever = math.MaxInt64

func newQueue[T any](limit int, order Order, release func(T)) *queue[T] {
	q := &queue[T]{order: order, release: release, limit: limit, end: forever}
	q.places = make([]place[T], 1<<bits.Len(uint(limit-1)))
	q.ready.L, q.room.L = &q.mu, &q.mu
	return q
}

func (q *queue[T]) at(position int64) *place[T] { return &q.places[int(position)&(len(q.places)-1)] }

// starved says that a taker has to wait, crowded that a worker has to.
func (q *queue[T]) starved() bool { return !q.closed && q.head < q.end && q.at(q.head).state == empty }
func (q *queue[T]) crowded() bool { return q.used == q.limit && q.end == forever }

// reserve waits for a free place. It is false when no further results are wanted.
func (q *queue[T]) reserve(m *meter) bool {
	q.mu.Lock()
	for q.crowded() {
		m.wait(waitingOut, &q.room)
	}
	wanted := q.end == forever
	if wanted {
		q.used++
	}
	more := !q.crowded()
	q.mu.Unlock()
	if more {
		q.room.Signal()
	}
	return wanted
}

// put fills a reserved place. A result that is not wanted any more is released.
func (q *queue[T]) put(position int64, value T) {
	q.mu.Lock()
	if q.order == AsCompleted {
		position = q.tail
		q.tail++
	}
	if position >= q.end {
		q.mu.Unlock()
		q.release(value)
		return
	}
	*q.at(position) = place[T]{state: full, value: value}
	q.filled++
	next := !q.starved()
	q.mu.Unlock()
	if next {
		q.ready.Signal()
	}
}

// skip gives a reserved place back without a result.
func (q *queue[T]) skip(position int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.order == AsCompleted:
		q.used--
	case position < q.end:
		q.at(position).state = skipped
		q.pass()
	}
	q.room.Signal()
	if !q.starved() {
		q.ready.Signal()
	}
}

// pass moves head over skipped places. The caller holds the lock.
func (q *queue[T]) pass() {
	for q.head < q.end && q.at(q.head).state == skipped {
		q.at(q.head).state = empty
		q.head++
		q.used--
	}
}

// finish ends the stream with err at a reserved place: what comes before it is still handed out,
// nothing after it.
func (q *queue[T]) finish(position int64, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.order == AsCompleted {
		position = q.tail
	}
	if position < q.end {
		q.end, q.err = position, err
	}
	q.ready.Broadcast()
	q.room.Broadcast()
}

// take waits for the next result and its number, counted from 0. It is false when there is none any more.
func (q *queue[T]) take(m *meter) (value T, number int64, ok bool) {
	q.mu.Lock()
	q.looks++
	q.seen += int64(q.filled)
	for q.starved() {
		m.wait(waitingIn, &q.ready)
	}
	if q.head < q.end && q.at(q.head).state == full {
		at := q.at(q.head)
		value, number, ok = at.value, q.taken, true
		*at = place[T]{}
		q.taken++
		q.head++
		q.used--
		q.filled--
		q.pass()
	}
	more := !q.starved()
	q.mu.Unlock()
	q.room.Signal()
	if more {
		q.ready.Signal()
	}
	return value, number, ok
}

// close says that no more results will come: the last worker has gone. err, if not nil, is why.
func (q *queue[T]) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.err == nil {
		q.err = err
	}
	q.ready.Broadcast()
}

// stop says that no more results will be taken. Those that wait are released, and so are those that
// still come; workers are given no further place.
func (q *queue[T]) stop() {
	q.mu.Lock()
	places := q.places
	q.places = nil
	q.filled = 0
	q.end = q.head
	q.ready.Broadcast()
	q.room.Broadcast()
	q.mu.Unlock()
	for _, p := range places {
		if p.state == full {
			q.release(p.value)
		}
	}
}

// why is the error that ended the stream.
func (q *queue[T]) why() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// fill is the mean share of places that held a result when one was asked for.
func (q *queue[T]) fill() float64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looks == 0 {
		return 0
	}
	return float64(q.seen) / float64(q.looks) / float64(q.limit)
}
