package queue

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
)

// Queue passes a stage's results to the next. It is a ring of places, filled in any order and emptied in the order of
// their positions.
//
// A worker reserves a place before it takes the item whose result will need it. So finished results never wait in a
// worker, and limit bounds the items in work and the waiting results together. In ordered queues, a place's position is
// the item's number. In the others it is assigned when the result arrives. There is no other difference between
// the two.
//
// In ordered queues, each number is answered by Put, Drop, Border or Finish. An item gets its number only after a place
// is reserved for it, so the number is always less than head + limit and has a place in the ring.
//
// LimitBytes limits the waiting results, not those in work. This cannot deadlock: if no worker is working on the result
// at head, there is no later result, so no bytes wait.
//
// A goroutine that stops waiting wakes the next waiter if that one need not wait either. So one Signal per change is
// enough, however many results a change releases.
//
// Before a goroutine waits, it lets others run once. For stages that take less than a microsecond, the queue has
// changed by then, at a lower cost than sleeping and waking.
type Queue[T any] struct {
	ordered bool // results are passed on in the order of the items, not in that in which they come
	holes   bool // the next stage must see items without a result

	mu sync.Mutex
	// ready wakes takers: the place at head is filled, or no more results come.
	ready sync.Cond
	// room wakes workers: a place is free, or no more results are wanted.
	room sync.Cond
	// turned wakes workers that are ahead of the epoch: the next epoch has begun.
	turned sync.Cond

	// The places. len(places) is the power of two above the highest limit.
	places []place[T]
	limit  int // places that may be reserved, see Widen
	used   int // places reserved and not yet emptied or given back
	filled int // places with a result

	// Positions in the stream. Results from end on are not wanted.
	head int64 // the next position to take
	tail int64 // the next position to assign, if not ordered
	end  int64 // forever, until finish or stop
	at   Mark  // the mark of the next item to take

	epochs epochs[T]
	closed bool
	paused bool  // nothing is passed on for now: a profile measures another stage
	err    error // why the stream ended; nil at its regular end

	size     func(T) int64 // nil without a limit
	maxBytes int64
	bytes    int64 // of the waiting results

	looks, seen int64 // calls of take, and the results that they found, for the mean fill
	counts      Counts
}

type place[T any] struct {
	kind  Kind
	value T
}

const forever = math.MaxInt64

// New returns a queue in which at most limit results are in work or wait.
func New[T any](limit int, ordered bool) *Queue[T] {
	q := &Queue[T]{ordered: ordered, limit: limit, end: forever}
	q.places = make([]place[T], 1<<bits.Len(uint(limit-1)))
	q.ready.L, q.room.L, q.turned.L = &q.mu, &q.mu, &q.mu
	q.epochs.feeds, q.epochs.ahead = 1, -1
	return q
}

// ShowHoles passes on the items without a result, too. It is called before the run.
func (q *Queue[T]) ShowHoles() { q.holes = true }

// LimitBytes limits the bytes of the waiting results. It is called before the run.
func (q *Queue[T]) LimitBytes(n int64, size func(T) int64) { q.maxBytes, q.size = n, size }

// Widen changes the limit, up to the limit with which the queue was created.
func (q *Queue[T]) Widen(places int) {
	q.mu.Lock()
	q.limit += places
	q.mu.Unlock()
	q.room.Signal()
}

// GiveBack returns a reserved place that no item needs.
func (q *Queue[T]) GiveBack() {
	q.mu.Lock()
	q.used--
	q.mu.Unlock()
	q.room.Signal()
}

func (q *Queue[T]) place(position int64) *place[T] {
	return &q.places[int(position)&(len(q.places)-1)]
}

// starved reports whether a taker must wait, and crowded whether a worker must wait for a place.
func (q *Queue[T]) starved() bool {
	return q.paused || !q.closed && q.head < q.end && q.place(q.head).kind == empty
}

func (q *Queue[T]) crowded() bool {
	return (q.used >= q.limit || q.size != nil && q.bytes >= q.maxBytes) && q.end == forever
}

// Reserve waits for a free place. It returns false if no more results are wanted.
func (q *Queue[T]) Reserve(m *meter.Meter) bool {
	q.mu.Lock()
	if q.crowded() {
		m.Yield(meter.WaitingOut, &q.mu)
	}
	for q.crowded() {
		m.Wait(meter.WaitingOut, &q.room)
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

// Put fills a reserved place with the only result of the item at a mark. A result that is no longer wanted is released.
func (q *Queue[T]) Put(at Mark, value T) { q.Give(nil, at, value, true) }

// Add is Put for one of several results, in a queue that is not ordered; Settle follows after the last.
func (q *Queue[T]) Add(m *meter.Meter, at Mark, value T) { q.Give(m, at, value, false) }

// Give is Put, or, if it is not the last of several results, Add.
func (q *Queue[T]) Give(m *meter.Meter, at Mark, value T, last bool) {
	q.mu.Lock()
	q.counts.Given++
	for q.tooEarly(at) && len(q.epochs.early) >= q.epochs.ahead {
		m.Wait(meter.WaitingOut, &q.turned)
	}
	if q.end != forever && (!q.ordered || at.Number >= q.end) {
		q.counts.Unused++
		q.mu.Unlock()
		Release(value)
		return
	}
	if q.size != nil {
		q.bytes += q.size(value)
	}
	switch {
	case q.ordered:
		q.fill(at.Number, value)
	case at.Epoch == q.epochs.now:
		q.fill(q.tail, value)
		q.tail++
	default:
		q.epochs.hold(at.Epoch, value)
	}
	if last && !q.ordered {
		q.settled(at)
	}
	next, first := !q.starved(), q.counts.Given == 1
	q.mu.Unlock()
	if next {
		q.ready.Signal()
	}
	if first {
		runtime.Gosched() // the run's first result reaches its end before the queues fill
	}
}

func (q *Queue[T]) fill(position int64, value T) {
	*q.place(position) = place[T]{kind: Result, value: value}
	q.filled++
}

// Drop returns a reserved place: the item at a mark has no result.
func (q *Queue[T]) Drop(at Mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.ordered:
		q.used--
		q.settled(at)
	case at.Number < q.end:
		q.place(at.Number).kind = Hole
		q.pass()
	}
	q.room.Signal()
	if !q.starved() {
		q.ready.Signal()
	}
}

// pass moves head past holes. The caller has the lock.
func (q *Queue[T]) pass() {
	for !q.holes && q.head < q.end && q.place(q.head).kind == Hole {
		q.place(q.head).kind = empty
		q.head++
		q.used--
	}
}

// Settle reports that the item at a mark has all its results, in a queue that is not ordered.
func (q *Queue[T]) Settle(at Mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settled(at)
	if !q.starved() {
		q.ready.Signal()
	}
}

// Border passes on the border at a mark, in a reserved place.
func (q *Queue[T]) Border(m *meter.Meter, at Mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.tooEarly(at) {
		m.Wait(meter.WaitingOut, &q.turned)
	}
	switch {
	case !q.ordered:
		if !q.epochs.border(at) { // another input of a merge has brought it already
			q.used--
			q.room.Signal()
		}
		q.turn()
	case at.Number < q.end:
		q.place(at.Number).kind = Border
	}
	if !q.starved() {
		q.ready.Signal()
	}
}

// Finish ends the stream with err at a mark, for which a place is reserved. Earlier results are still passed on, later
// ones are not.
func (q *Queue[T]) Finish(at Mark, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	position := at.Number
	if !q.ordered {
		position = q.tail
	}
	if position < q.end {
		q.end, q.err = position, err
	}
	q.ready.Broadcast()
	q.room.Broadcast()
	q.turned.Broadcast()
}

// Take waits for the next result, border, or, if holes is set, hole. ok is false at the end of the stream, whose
// position is at.
func (q *Queue[T]) Take(m *meter.Meter) (value T, at Mark, ok bool) {
	q.mu.Lock()
	q.looks++
	q.seen += int64(q.filled)
	if q.starved() {
		m.Yield(meter.WaitingIn, &q.mu)
	}
	for q.starved() {
		m.Wait(meter.WaitingIn, &q.ready)
	}
	return q.next()
}

// TakeBy is take with a deadline; late reports that it has passed.
func (q *Queue[T]) TakeBy(m *meter.Meter, moment time.Time) (value T, at Mark, ok, late bool) {
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
		m.Wait(meter.WaitingIn, &q.ready)
	}
	value, at, ok = q.next()
	return value, at, ok, false
}

// next empties the place at head. The caller has the lock, which next releases.
func (q *Queue[T]) next() (value T, at Mark, ok bool) {
	at = q.at
	if q.head < q.end {
		p := q.place(q.head)
		if ok = p.kind != empty; ok {
			value, at.Kind = p.value, p.kind
			*p = place[T]{}
			q.advance(at.Kind)
			if q.size != nil && at.Kind == Result {
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
func (q *Queue[T]) advance(k Kind) {
	q.head++
	q.used--
	q.at.Number++
	q.at.Index++
	switch k {
	case Result:
		q.filled--
		q.counts.Taken++
	case Border:
		q.at.Epoch++
		q.at.Index = 0
	}
	q.pass()
}

// Close reports that no more results will come, because the last worker has ended. err, if not nil, is the reason.
func (q *Queue[T]) Close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.err == nil {
		q.err = err
	}
	q.ready.Broadcast()
}

// Stop reports that no more results will be taken. Waiting and later results are released, and workers get no more
// places.
func (q *Queue[T]) Stop() {
	q.mu.Lock()
	places, early := q.places, q.epochs.early
	q.places, q.epochs.early = nil, nil
	q.counts.Unused += int64(q.filled + len(early))
	q.filled, q.bytes = 0, 0
	q.end = q.head
	q.ready.Broadcast()
	q.room.Broadcast()
	q.turned.Broadcast()
	q.mu.Unlock()
	for _, p := range places {
		if p.kind == Result {
			Release(p.value)
		}
	}
	for _, e := range early {
		Release(e.value)
	}
}

// Return releases a result that was taken, and counts it as unused.
func (q *Queue[T]) Return(value T) {
	q.mu.Lock()
	q.counts.Taken--
	q.counts.Unused++
	q.mu.Unlock()
	Release(value)
}

// Why returns the error that ended the stream.
func (q *Queue[T]) Why() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Capacity returns how many results may be in work or wait.
func (q *Queue[T]) Capacity() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit
}
