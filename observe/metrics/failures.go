package metrics

import (
	"cmp"
	"maps"
	"sync"

	"github.com/spoolmedia/spool/pipe"
)

// Failures counts the failures of a run by stage and class. It is a ledger: set it as loader.Failures.Ledger or as
// pipe.Options.Ledger. The zero value is ready to use, and it is safe for concurrent use.
type Failures struct {
	Ledger pipe.Ledger // gets each failure, too; may be nil

	mu     sync.Mutex
	counts map[Failure]int64
}

// Failure is what failures are counted by.
type Failure struct{ Stage, Class string }

func (f Failure) compare(g Failure) int {
	return cmp.Or(cmp.Compare(f.Stage, g.Stage), cmp.Compare(f.Class, g.Class))
}

// Add counts a failure. Its error is that of the other ledger.
func (l *Failures) Add(f pipe.Failure) error {
	l.mu.Lock()
	if l.counts == nil {
		l.counts = map[Failure]int64{}
	}
	l.counts[Failure{f.Stage, f.Class}]++
	l.mu.Unlock()
	if l.Ledger == nil {
		return nil
	}
	return l.Ledger.Add(f)
}

// Counts returns the numbers so far.
func (l *Failures) Counts() map[Failure]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.counts)
}
