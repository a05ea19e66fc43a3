package queue

// Counts are the results that passed through a queue: Given = Taken + Unused + waiting.
type Counts struct{ Given, Taken, Unused int64 }

// Gauge returns the mean share of places that held a result when one was taken, and the counts.
func (q *Queue[T]) Gauge() (fill float64, c Counts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looks > 0 {
		fill = float64(q.seen) / float64(q.looks) / float64(max(q.limit, 1))
	}
	return fill, q.counts
}
