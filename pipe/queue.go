package pipe

import (
	"math"
	"math/bits"
	"sync"
	"time"
)

// queue carries a stage's results to the next: a ring of places, filled in any order and emptied in
// the order of their positions.
//
// A worker reserves a place before it takes the item whose result will need it. So finished results
// never wait in a worker's hands, and what is in work and what waits are bounded together by limit.
// A place gets its position from the item (order of input: the item's number) or when the result
// arrives (order of completion); that is all the difference between the two orders. In order of input
// every number is answered by put, drop, border or finish, and because an item is numbered only after a
// place is reserved for it, its number is always less than head + limit: it has a place in the ring.
//
// Bytes bound what waits, not what is in work. That stops nobody for ever: as long as the result at
// head is missing because nobody works on it, no later one can be there, so no bytes wait.
//
// Whoever stops waiting wakes the next waiter if that one need not wait either. So one Signal for
// each change is enough, however many results a change sets free.
//
// Before somebody waits he lets others run once: between stages that take less than a microsecond the
// queue has changed by then, for less than what going to sleep and being woken costs.
type queue[T any] struct {
	order Order
	holes bool // whoever takes wants to know of items that gave nothing

	mu     sync.Mutex
	ready  sync.Cond // takers: the place at head is filled, or no more will come
	room   sync.Cond // workers: a place is free, or no more are wanted
	turned sync.Cond // workers that are ahead of the epoch: the next one has begun
	places []place[T]
	limit  int   // places that may be reserved, as widen says; len(places) is the power of two above the most
	used   int   // reserved and not yet emptied or given back
	filled int   // holding a result
	head   int64 // the next position to be taken
	tail   int64 // the next position to be given, in order of completion
	end    int64 // results from here on are not wanted: forever until finish or stop
	at     mark  // of what is taken next
	epochs epochs[T]
	closed bool
	held   bool  // nothing is handed out for now: a profile measures another stage
	err    error // why the stream ended, nil if because there was no more

	size     func(T) int64 // nil without a limit
	maxBytes int64
	bytes    int64 // of the results that wait

	looks, seen int64 // takes, and results they found waiting, for the mean fill
	counts      counts
}

// counts are the results that went through a queue: given = taken + unused + those that wait.
type counts struct{ given, taken, unused int64 }

// kind is what a place holds.
type kind uint8

const (
	empty  kind = iota
	result      // of an item
	hole        // an item gave nothing: it failed or was filtered
	border      // between two epochs
)

// mark is where something stands in a stream.
type mark struct {
	kind   kind
	number int64 // of all that was taken
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

// widen changes the limit, up to that which the queue was made with.
func (q *queue[T]) widen(places int) {
	q.mu.Lock()
	q.limit += places
	q.mu.Unlock()
	q.room.Signal()
}

// giveBack gives a reserved place back that no item needs.
func (q *queue[T]) giveBack() {
	q.mu.Lock()
	q.used--
	q.mu.Unlock()
	q.room.Signal()
}

func (q *queue[T]) place(position int64) *place[T] {
	return &q.places[int(position)&(len(q.places)-1)]
}

// starved says that a taker has to wait, crowded that a worker has to.
func (q *queue[T]) starved() bool {
	return q.held || !q.closed && q.head < q.end && q.place(q.head).kind == empty
}

func (q *queue[T]) crowded() bool {
	return (q.used >= q.limit || q.size != nil && q.bytes >= q.maxBytes) && q.end == forever
}

// reserve waits for a free place. It is false when no further results are wanted.
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

// put fills a reserved place with the one result of the item at a mark. A result that is not wanted
// any more is released.
func (q *queue[T]) put(at mark, value T) { q.give(nil, at, value, true) }

// add is put for one result of several, in order of completion; settle comes after the last.
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

// drop gives a reserved place back: the item at a mark gave nothing.
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

// pass moves head over holes. The caller holds the lock.
func (q *queue[T]) pass() {
	for !q.holes && q.head < q.end && q.place(q.head).kind == hole {
		q.place(q.head).kind = empty
		q.head++
		q.used--
	}
}

// settle says that the item at a mark has given all its results, in order of completion.
func (q *queue[T]) settle(at mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settled(at)
	if !q.starved() {
		q.ready.Signal()
	}
}

// border hands on the border at a mark, in a reserved place.
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

// finish ends the stream with err at a mark, for which there is a reserved place: what comes before it
// is still handed out, nothing after it.
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

// take waits for what comes next: a result, a border, or, if it is to be known, a hole. It is false
// when there is nothing any more; at is the end of the stream then.
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

// takeBy is take with a moment at which it gives up; late says that it has.
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

// next empties the place at head. The caller holds the lock, which next gives up.
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

// advance moves on by one place that held something.
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

// why is the error that ended the stream.
func (q *queue[T]) why() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// capacity is how many results may be in work, or wait.
func (q *queue[T]) capacity() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit
}

// gauge is the mean share of places that held a result when one was asked for, and what went through.
func (q *queue[T]) gauge() (fill float64, c counts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looks > 0 {
		fill = float64(q.seen) / float64(q.looks) / float64(max(q.limit, 1))
	}
	return fill, q.counts
}
