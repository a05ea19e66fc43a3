package pipe

// epochs keeps the epochs apart in a queue in order of completion: workers go on with the next epoch
// while the last items of one are in work, and what is done too early waits here, in its reserved
// place, until the border has gone out. In order of input a border is one more position, and nothing
// of this is needed.
//
// The border of an epoch may go out when every input has brought it, which says how many items the
// epoch had, and as many have been settled.
type epochs[T any] struct {
	now   int // the epoch that is handed out
	feeds int // inputs that still bring borders: more than one where flows are merged
	ahead int // how many results may be early, see tooEarly; -1 without a limit
	open  []epoch
	early []early[T] // results of later epochs
}

// epoch is what is known of an epoch that has not ended; the first one is that of now.
type epoch struct {
	settled int64 // items that gave all they had
	items   int64 // that there are, as far as inputs have brought the border
	borders int   // inputs that brought it
	ended   int   // inputs that ended instead
}

type early[T any] struct {
	epoch int
	value T
}

// of finds the record of an epoch.
func (e *epochs[T]) of(n int) *epoch {
	for len(e.open) <= n-e.now {
		e.open = append(e.open, epoch{})
	}
	return &e.open[n-e.now]
}

func (e *epochs[T]) hold(epoch int, value T) {
	e.early = append(e.early, early[T]{epoch, value})
}

// border notes that an input brought a border. It is true for the first one, whose place it takes.
func (e *epochs[T]) border(at mark) bool {
	o := e.of(at.epoch)
	o.items += at.index
	o.borders++
	return o.borders == 1
}

// ended notes that an input ended, in place of the border at a mark and of all later ones.
func (e *epochs[T]) ended(at mark) {
	o := e.of(at.epoch)
	o.items += at.index
	o.ended++
}

// over says that the epoch of now is complete and has a border.
func (e *epochs[T]) over() bool {
	if len(e.open) == 0 {
		return false
	}
	o := &e.open[0]
	return o.borders > 0 && o.borders+o.ended == e.feeds && o.settled == o.items
}

// rivals is for a queue whose workers need further places for what belongs to epochs begun long ago: of
// a merge, whose inputs do not wait for each other, or for items with several results. What is early
// must not take all places then. With spare places beside one a worker, ahead is spare - 1: early
// results, the border that is due, and a place for each of the other workers leave one.
func (q *queue[T]) rivals(spare int) { q.epochs.ahead = spare - 1 }

// tooEarly says that something belongs to a later epoch and may have to wait for it. The caller holds
// the lock.
func (q *queue[T]) tooEarly(at mark) bool {
	return q.epochs.ahead >= 0 && at.epoch > q.epochs.now && q.end == forever
}

// settled counts an item that gave all it had. The caller holds the lock.
func (q *queue[T]) settled(at mark) {
	q.epochs.of(at.epoch).settled++
	q.turn()
}

// turn hands out the borders of epochs that are complete, each with what waited behind it. The caller
// holds the lock.
func (q *queue[T]) turn() {
	e := &q.epochs
	for e.over() && q.end == forever {
		q.place(q.tail).kind = border
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

// endFeed says that an input has ended at a mark: no border of it will come any more.
func (q *queue[T]) endFeed(at mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epochs.ended(at)
	q.turn()
	if !q.starved() {
		q.ready.Signal()
	}
}
