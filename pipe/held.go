package pipe

import "math/bits"

// enlarge gives more places, before the run, and makes it possible that workers who come bring some.
func (q *queue[T]) enlarge(places, later int) {
	q.limit += places
	q.places = make([]place[T], 1<<bits.Len(uint(q.limit+later-1)))
	q.maxBytes = forever
}

// confine sets the limit, which may be less than what is there.
func (q *queue[T]) confine(places int) {
	q.mu.Lock()
	q.limit = places
	q.mu.Unlock()
	q.room.Broadcast()
}

// hold keeps results back, or lets them go.
func (q *queue[T]) hold(on bool) {
	q.mu.Lock()
	q.held = on
	q.mu.Unlock()
	q.ready.Broadcast()
}

// stocked says that there is something to take.
func (q *queue[T]) stocked() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.starved()
}

// discard releases what there is to take.
func (q *queue[T]) discard() {
	for q.stocked() {
		q.mu.Lock()
		value, at, ok := q.next()
		if !ok {
			return
		}
		if at.kind == result {
			release(value)
		}
	}
}
