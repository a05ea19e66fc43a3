package queue

// epochs separates the epochs in a queue that is not ordered. Workers start the next epoch while the last items
// of an epoch are in work. Results of a later epoch wait here, in their reserved places, until the border is passed on.
// In ordered queues a border is just one more position, and epochs is not needed.
//
// The border of an epoch is passed on when every input has brought it, so that the number of items in the epoch is
// known, and when that many items are settled.
type epochs[T any] struct {
	now   int // the epoch that is being passed on
	feeds int // inputs that still bring borders: more than one for a merge
	ahead int // how many results may be early, see tooEarly; -1 means no limit
	open  []epoch
	early []early[T] // results of later epochs
}

// epoch is the state of an epoch that has not ended. The first one is that of now.
type epoch struct {
	settled int64 // items whose results are complete
	items   int64 // items of the inputs that have brought the border
	borders int   // inputs that brought it
	ended   int   // inputs that ended instead
}

type early[T any] struct {
	epoch int
	value T
}

// of returns the state of an epoch.
func (e *epochs[T]) of(n int) *epoch {
	for len(e.open) <= n-e.now {
		e.open = append(e.open, epoch{})
	}
	return &e.open[n-e.now]
}

func (e *epochs[T]) hold(epoch int, value T) {
	e.early = append(e.early, early[T]{epoch, value})
}

// border records that an input brought a border. It returns true for the first one, whose place the border takes.
func (e *epochs[T]) border(at Mark) bool {
	o := e.of(at.Epoch)
	o.items += at.Index
	o.borders++
	return o.borders == 1
}

// ended records that an input ended, instead of bringing the border at a mark and all later ones.
func (e *epochs[T]) ended(at Mark) {
	o := e.of(at.Epoch)
	o.items += at.Index
	o.ended++
}

// over reports whether epoch now is complete and has a border.
func (e *epochs[T]) over() bool {
	if len(e.open) == 0 {
		return false
	}
	o := &e.open[0]
	return o.borders > 0 && o.borders+o.ended == e.feeds && o.settled == o.items
}

// Feeds sets the number of inputs that bring borders. It is called before the run.
func (q *Queue[T]) Feeds(n int) { q.epochs.feeds = n }

// Rivals is for a queue whose workers may need more places for results of earlier epochs. This is so for a merge, whose
// inputs do not wait for each other, and for items with several results. Early results must not take all places then.
// If the queue has spare places in addition to one per worker, ahead is spare - 1. Then the early results, the next
// border and a place for each of the other workers leave one place.
func (q *Queue[T]) Rivals(spare int) { q.epochs.ahead = spare - 1 }

// tooEarly reports whether a result belongs to a later epoch and may have to wait for it. The caller has the lock.
func (q *Queue[T]) tooEarly(at Mark) bool {
	return q.epochs.ahead >= 0 && at.Epoch > q.epochs.now && q.end == forever
}

// settled counts an item whose results are complete. The caller has the lock.
func (q *Queue[T]) settled(at Mark) {
	q.epochs.of(at.Epoch).settled++
	q.turn()
}

// turn passes on the borders of complete epochs, each with the results that waited after it. The caller has the lock.
func (q *Queue[T]) turn() {
	e := &q.epochs
	for e.over() && q.end == forever {
		q.place(q.tail).kind = Border
		q.tail++
		e.feeds -= e.open[0].ended
		e.open = e.open[1:]
		e.now++
		rest := e.early[:0]
		for _, r := range e.early {
			if r.epoch == e.now {
				q.fill(q.tail, r.value)
				q.tail++
			} else {
				rest = append(rest, r)
			}
		}
		clear(e.early[len(rest):])
		e.early = rest
		q.turned.Broadcast()
	}
}

// EndFeed records that an input has ended at a mark: it brings no more borders.
func (q *Queue[T]) EndFeed(at Mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epochs.ended(at)
	q.turn()
	if !q.starved() {
		q.ready.Signal()
	}
}
