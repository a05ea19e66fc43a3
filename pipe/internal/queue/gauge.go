package queue

// Counts are the results that passed through a queue: Given = Taken + Unused + waiting.
type Counts struct{ Given, Taken, Unused int64 }

// Gauge returns the mean share of places that held a result when one was taken, the share that holds one now, and the
// counts.
func (q *Queue[T]) Gauge() (fill, now float64, c Counts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	places := float64(max(q.limit, 1))
	if q.looks > 0 {
		fill = float64(q.seen) / float64(q.looks) / places
	}
	return fill, min(float64(q.filled)/places, 1), q.counts
}
