package batch

import "github.com/spoolmedia/spool"

// slab is the memory of one batch in progress.
type slab struct {
	buffer  *spool.Buffer
	given   int      // slots assigned, the spare slot included
	settled int      // assigned slots that were added or have failed
	closed  bool     // no further slot is assigned
	samples []Sample // Any: the sample of each slot
	filled  []bool   // Any: whether each slot holds a sample
}

// done reports whether the slab is closed and all of its slots are settled.
func (s *slab) done() bool { return s.closed && s.settled == s.given }

// inUse returns the number of slots assigned and not settled.
func (s *slab) inUse() int { return s.given - s.settled }
