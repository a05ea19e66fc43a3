package queue

import "math/bits"

// Enlarge adds places before the run, and allows as many as later workers may add.
func (q *Queue[T]) Enlarge(places, later int) {
	q.limit += places
	q.places = make([]place[T], 1<<bits.Len(uint(q.limit+later-1)))
	q.maxBytes = forever
}

// Confine sets the limit, which may be below the number of places in use.
func (q *Queue[T]) Confine(places int) {
	q.mu.Lock()
	q.limit = places
	q.mu.Unlock()
	q.room.Broadcast()
}

// Pause pauses the queue, or resumes it.
func (q *Queue[T]) Pause(on bool) {
	q.mu.Lock()
	q.paused = on
	q.mu.Unlock()
	q.ready.Broadcast()
}

// Stocked reports whether there is something to take.
func (q *Queue[T]) Stocked() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.starved()
}

// Discard releases everything that can be taken.
func (q *Queue[T]) Discard() {
	for q.Stocked() {
		q.mu.Lock()
		value, at, ok := q.next()
		if !ok {
			return
		}
		if at.Kind == Result {
			Release(value)
		}
	}
}
