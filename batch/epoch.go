package batch

import "slices"

// epoch is one pass over the data: its open slabs in order, and what has been placed.
//
// In Exact order samples are placed one after the other into the head slab. Everything rests on one
// invariant, over each run of slabs from the head on: what is placed in the head plus what is under
// way in the run fits into the run. So when the head is full nothing in it is under way, and it can go.
type epoch struct {
	number int
	slabs  []*slab
	placed []Sample // what lies in the head slab
	free   []Slot   // Any: slots whose sample failed, to be given out again
	closed bool     // no further slot will be given out
	out    int      // slots given out and not settled
	index  int      // of the next batch
	last   *Batch   // a reference to the latest one, where it may be given again
}

// forget lets go of the latest batch.
func (e *epoch) forget() {
	if e.last != nil {
		e.last.Release()
		e.last = nil
	}
}

// fits reports whether the invariant holds when slab skip is taken away and extra more samples are
// under way in the last one.
func (e *epoch) fits(size int, skip *slab, extra int) bool {
	need, room := len(e.placed), 0
	for i, s := range e.slabs {
		need += s.underway()
		if i == len(e.slabs)-1 {
			need += extra
		}
		if s != skip {
			room += size
		}
		if need > room {
			return false
		}
	}
	return true
}

// sweep lets go of slabs that hold nothing and that nothing under way will need.
func (e *epoch) sweep(size int) {
	for i := 0; i < len(e.slabs); {
		s := e.slabs[i]
		holds := i == 0 && len(e.placed) > 0
		if !s.done() || holds || !e.fits(size, s, 0) {
			i++
			continue
		}
		s.buffer.Release()
		e.slabs = slices.Delete(e.slabs, i, i+1)
	}
}

// close says that the epoch's last slot has been given out.
func (e *epoch) close() {
	e.closed = true
	if n := len(e.slabs); n > 0 {
		e.slabs[n-1].closed = true
	}
}
