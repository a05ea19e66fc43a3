package loader

import (
	"context"
	"sync"

	"github.com/spoolmedia/spool/source"
)

// approach is how many samples that lie far away may be opened at a time. It begins with a batch, or some, stays so
// for as many, which are read meanwhile, and doubles from then on: all of them at once would be asked for before the
// first is read.
type approach struct {
	mu      sync.Mutex
	listed  int                   // samples so far
	may     int                   // of these, how many may be opened
	calm    int                   // how many are to be opened before their number grows
	waiting map[int]chan struct{} // closed when the sample of that number may be opened
}

// farBegin is half of what a client of objects asks for at a time to begin with: the others are for reading.
const farBegin = 32

// newApproach is nil for a source that is not remote.
func newApproach(src source.Source, o Options) *approach {
	if r, ok := src.(interface{ Remote() bool }); !ok || !r.Remote() {
		return nil
	}
	begin := max(o.Batch, farBegin)
	return &approach{may: begin, calm: begin, waiting: map[int]chan struct{}{}}
}

// number counts a sample that is listed.
func (a *approach) number() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listed++
	return a.listed
}

// begin waits until the sample of that number may be opened.
func (a *approach) begin(ctx context.Context, number int) error {
	a.mu.Lock()
	if number <= a.may {
		a.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	a.waiting[number] = turn
	a.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end says that one has been opened: one more may be, or two.
func (a *approach) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calm--; a.calm < 0 {
		a.allow()
	}
	a.allow()
}

// allow lets one more be opened. Only its worker is woken: hundreds may wait.
func (a *approach) allow() {
	a.may++
	if turn := a.waiting[a.may]; turn != nil {
		close(turn)
		delete(a.waiting, a.may)
	}
}
