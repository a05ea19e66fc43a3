package batch

import "slices"

// epoch is one epoch in progress: its open slabs in order, and the placed samples.
//
// In Exact order, samples are placed one after the other in the head slab. One invariant holds for each run of slabs
// that begins with the head: the samples placed in the head, plus the slots in use in the run, fit into the run. So
// when the head is full, none of its slots is in use, and it can be delivered.
type epoch struct {
	number int
	slabs  []*slab
	placed []Sample // the samples placed in the head slab
	free   []Slot   // Any: slots of failed samples, to be assigned again
	closed bool     // no further slot is assigned
	out    int      // slots assigned and not settled
	index  int      // of the next batch
	last   *Batch   // a reference to the latest batch, if it may be repeated
}

// forget releases the latest batch.
func (e *epoch) forget() {
	if e.last != nil {
		e.last.Release()
		e.last = nil
	}
}

// fits reports whether the invariant holds without slab skip, and with extra more slots in use in the last slab.
func (e *epoch) fits(size int, skip *slab, extra int) bool {
	need, room := len(e.placed), 0
	for i, s := range e.slabs {
		need += s.inUse()
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

// sweep releases slabs that hold no sample and that no slot in use needs.
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

// close marks that the epoch's last slot was assigned.
func (e *epoch) close() {
	e.closed = true
	if n := len(e.slabs); n > 0 {
		e.slabs[n-1].closed = true
	}
}
