package batch

import "github.com/spoolmedia/spool"

// slab is the memory of one batch under way.
type slab struct {
	buffer  *spool.Buffer
	given   int      // slots given out, the spare one included
	settled int      // of these, added or failed
	closed  bool     // no further slot will be given out
	samples []Sample // Any: what lies in each slot
	filled  []bool   // Any: which slots hold a sample
}

// done reports that every sample this slab was given out for is settled.
func (s *slab) done() bool { return s.closed && s.settled == s.given }

// underway is the number of slots given out and not settled.
func (s *slab) underway() int { return s.given - s.settled }
