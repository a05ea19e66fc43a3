package pipe

import "math/bits"

// enlarge adds places before the run, and allows as many as later workers may add.
func (q *queue[T]) enlarge(places, later int) {
	q.limit += places
	q.places = make([]place[T], 1<<bits.Len(uint(q.limit+later-1)))
	q.maxBytes = forever
}

// confine sets the limit, which may be below the number of places in use.
func (q *queue[T]) confine(places int) {
	q.mu.Lock()
	q.limit = places
	q.mu.Unlock()
	q.room.Broadcast()
}

// pause pauses the queue, or resumes it.
func (q *queue[T]) pause(on bool) {
	q.mu.Lock()
	q.paused = on
	q.mu.Unlock()
	q.ready.Broadcast()
}

// stocked reports whether there is something to take.
func (q *queue[T]) stocked() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.starved()
}

// discard releases everything that can be taken.
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
