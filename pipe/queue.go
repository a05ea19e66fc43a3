package pipe

import (
	"math"
	"math/bits"
	"sync"
	"time"
)

// queue passes a stage's results to the next. It is a ring of places, filled in any order and emptied in the order of
// their positions.
//
// A worker reserves a place before it takes the item whose result will need it. So finished results never wait in a
// worker, and limit bounds the items in work and the waiting results together. In Ordered queues, a place's position is
// the item's number. In AsCompleted queues it is assigned when the result arrives. There is no other difference between
// the two.
//
// In Ordered queues, each number is answered by put, drop, border or finish. An item gets its number only after a place
// is reserved for it, so the number is always less than head + limit and has a place in the ring.
//
// maxBytes limits the waiting results, not those in work. This cannot deadlock: if no worker is working on the result
// at head, there is no later result, so no bytes wait.
//
// A goroutine that stops waiting wakes the next waiter if that one need not wait either. So one Signal per change is
// enough, however many results a change releases.
//
// Before a goroutine waits, it lets others run once. For stages that take less than a microsecond, the queue has
// changed by then, at a lower cost than sleeping and waking.
type queue[T any] struct {
	order Order
	holes bool // the next stage must see items without a result

	mu     sync.Mutex
	ready  sync.Cond // takers: the place at head is filled, or no more results come
	room   sync.Cond // workers: a place is free, or no more results are wanted
	turned sync.Cond // workers ahead of the epoch: the next epoch has begun
	places []place[T]
	limit  int   // places that may be reserved, see widen; len(places) is the power of two above its maximum
	used   int   // places reserved and not yet emptied or given back
	filled int   // places with a result
	head   int64 // the next position to take
	tail   int64 // the next position to assign, if AsCompleted
	end    int64 // results from here on are not wanted: forever until finish or stop
	at     mark  // of the next item to take
	epochs epochs[T]
	closed bool
	paused bool  // nothing is passed on for now: a profile measures another stage
	err    error // why the stream ended; nil at its regular end

	size     func(T) int64 // nil without a limit
	maxBytes int64
	bytes    int64 // of the waiting results

	looks, seen int64 // calls of take, and the results that they found, for the mean fill
	counts      counts
}

// counts are the results that passed through a queue: given = taken + unused + waiting.
type counts struct{ given, taken, unused int64 }

// kind is what a place holds.
type kind uint8

const (
	empty  kind = iota
	result      // of an item
	hole        // an item without a result: it failed or was filtered
	border      // between two epochs
)

// mark is a position in a stream.
type mark struct {
	kind   kind
	number int64 // of all items and borders
	epoch  int   // borders before it
	index  int64 // since the last border
}

type place[T any] struct {
	kind  kind
	value T
}

const forever = math.MaxInt64

func newQueue[T any](limit int, order Order) *queue[T] {
	q := &queue[T]{order: order, limit: limit, end: forever}
	q.places = make([]place[T], 1<<bits.Len(uint(limit-1)))
	q.ready.L, q.room.L, q.turned.L = &q.mu, &q.mu, &q.mu
	q.epochs.feeds, q.epochs.ahead = 1, -1
	return q
}

// widen changes the limit, up to the limit with which the queue was created.
func (q *queue[T]) widen(places int) {
	q.mu.Lock()
	q.limit += places
	q.mu.Unlock()
	q.room.Signal()
}

// giveBack returns a reserved place that no item needs.
func (q *queue[T]) giveBack() {
	q.mu.Lock()
	q.used--
	q.mu.Unlock()
	q.room.Signal()
}

func (q *queue[T]) place(position int64) *place[T] {
	return &q.places[int(position)&(len(q.places)-1)]
}

// starved reports whether a taker must wait, and crowded whether a worker must wait for a place.
func (q *queue[T]) starved() bool {
	return q.paused || !q.closed && q.head < q.end && q.place(q.head).kind == empty
}

func (q *queue[T]) crowded() bool {
	return (q.used >= q.limit || q.size != nil && q.bytes >= q.maxBytes) && q.end == forever
}

// reserve waits for a free place. It returns false if no more results are wanted.
func (q *queue[T]) reserve(m *meter) bool {
	q.mu.Lock()
	if q.crowded() {
		m.yield(waitingOut, &q.mu)
	}
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

// put fills a reserved place with the only result of the item at a mark. A result that is no longer wanted is released.
func (q *queue[T]) put(at mark, value T) { q.give(nil, at, value, true) }

// add is put for one of several results, in an AsCompleted queue; settle follows after the last.
func (q *queue[T]) add(m *meter, at mark, value T) { q.give(m, at, value, false) }

func (q *queue[T]) give(m *meter, at mark, value T, last bool) {
	q.mu.Lock()
	q.counts.given++
	for q.tooEarly(at) && len(q.epochs.early) >= q.epochs.ahead {
		m.wait(waitingOut, &q.turned)
	}
	if q.end != forever && (q.order == AsCompleted || at.number >= q.end) {
		q.counts.unused++
		q.mu.Unlock()
		release(value)
		return
	}
	if q.size != nil {
		q.bytes += q.size(value)
	}
	switch {
	case q.order == Ordered:
		q.fill(at.number, value)
	case at.epoch == q.epochs.now:
		q.fill(q.tail, value)
		q.tail++
	default:
		q.epochs.hold(at.epoch, value)
	}
	if last && q.order == AsCompleted {
		q.settled(at)
	}
	next := !q.starved()
	q.mu.Unlock()
	if next {
		q.ready.Signal()
	}
}

func (q *queue[T]) fill(position int64, value T) {
	*q.place(position) = place[T]{kind: result, value: value}
	q.filled++
}

// drop returns a reserved place: the item at a mark has no result.
func (q *queue[T]) drop(at mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.order == AsCompleted:
		q.used--
		q.settled(at)
	case at.number < q.end:
		q.place(at.number).kind = hole
		q.pass()
	}
	q.room.Signal()
	if !q.starved() {
		q.ready.Signal()
	}
}

// pass moves head past holes. The caller has the lock.
func (q *queue[T]) pass() {
	for !q.holes && q.head < q.end && q.place(q.head).kind == hole {
		q.place(q.head).kind = empty
		q.head++
		q.used--
	}
}

// settle reports that the item at a mark has all its results, in an AsCompleted queue.
func (q *queue[T]) settle(at mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settled(at)
	if !q.starved() {
		q.ready.Signal()
	}
}

// border passes on the border at a mark, in a reserved place.
func (q *queue[T]) border(m *meter, at mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.tooEarly(at) {
		m.wait(waitingOut, &q.turned)
	}
	switch {
	case q.order == AsCompleted:
		if !q.epochs.border(at) { // another input of a merge has brought it already
			q.used--
			q.room.Signal()
		}
		q.turn()
	case at.number < q.end:
		q.place(at.number).kind = border
	}
	if !q.starved() {
		q.ready.Signal()
	}
}

// finish ends the stream with err at a mark, for which a place is reserved. Earlier results are still passed on, later
// ones are not.
func (q *queue[T]) finish(at mark, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	position := at.number
	if q.order == AsCompleted {
		position = q.tail
	}
	if position < q.end {
		q.end, q.err = position, err
	}
	q.ready.Broadcast()
	q.room.Broadcast()
	q.turned.Broadcast()
}

// take waits for the next result, border, or, if holes is set, hole. ok is false at the end of the stream, whose
// position is at.
func (q *queue[T]) take(m *meter) (value T, at mark, ok bool) {
	q.mu.Lock()
	q.looks++
	q.seen += int64(q.filled)
	if q.starved() {
		m.yield(waitingIn, &q.mu)
	}
	for q.starved() {
		m.wait(waitingIn, &q.ready)
	}
	return q.next()
}

// takeBy is take with a deadline; late reports that it has passed.
func (q *queue[T]) takeBy(m *meter, moment time.Time) (value T, at mark, ok, late bool) {
	q.mu.Lock()
	q.looks++
	q.seen += int64(q.filled)
	if q.starved() {
		timer := time.AfterFunc(time.Until(moment), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.ready.Broadcast()
		})
		defer timer.Stop()
	}
	for q.starved() {
		if !time.Now().Before(moment) {
			q.mu.Unlock()
			return value, at, false, true
		}
		m.wait(waitingIn, &q.ready)
	}
	value, at, ok = q.next()
	return value, at, ok, false
}

// next empties the place at head. The caller has the lock, which next releases.
func (q *queue[T]) next() (value T, at mark, ok bool) {
	at = q.at
	if q.head < q.end {
		p := q.place(q.head)
		if ok = p.kind != empty; ok {
			value, at.kind = p.value, p.kind
			*p = place[T]{}
			q.advance(at.kind)
			if q.size != nil && at.kind == result {
				q.bytes -= q.size(value)
			}
		}
	}
	more := !q.starved()
	q.mu.Unlock()
	q.room.Signal()
	if more {
		q.ready.Signal()
	}
	return value, at, ok
}

// advance moves head past a place that held something.
func (q *queue[T]) advance(k kind) {
	q.head++
	q.used--
	q.at.number++
	q.at.index++
	switch k {
	case result:
		q.filled--
		q.counts.taken++
	case border:
		q.at.epoch++
		q.at.index = 0
	}
	q.pass()
}

// close reports that no more results will come, because the last worker has ended. err, if not nil, is the reason.
func (q *queue[T]) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.err == nil {
		q.err = err
	}
	q.ready.Broadcast()
}

// stop reports that no more results will be taken. Waiting and later results are released, and workers get no more
// places.
func (q *queue[T]) stop() {
	q.mu.Lock()
	places, early := q.places, q.epochs.early
	q.places, q.epochs.early = nil, nil
	q.counts.unused += int64(q.filled + len(early))
	q.filled, q.bytes = 0, 0
	q.end = q.head
	q.ready.Broadcast()
	q.room.Broadcast()
	q.turned.Broadcast()
	q.mu.Unlock()
	for _, p := range places {
		if p.kind == result {
			release(p.value)
		}
	}
	for _, e := range early {
		release(e.value)
	}
}

// why returns the error that ended the stream.
func (q *queue[T]) why() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// capacity returns how many results may be in work or wait.
func (q *queue[T]) capacity() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit
}

// gauge returns the mean share of places that held a result when one was taken, and the counts.
func (q *queue[T]) gauge() (fill float64, c counts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looks > 0 {
		fill = float64(q.seen) / float64(q.looks) / float64(max(q.limit, 1))
	}
	return fill, q.counts
}
