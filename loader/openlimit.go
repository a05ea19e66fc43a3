package loader

import (
	"context"
	"sync"
	"time"

	"github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/source"
)

// openLimit limits how many remote samples may be open or being opened at a time. It begins with one batch, or with
// initialOpens samples if that is more. It stays there until as many are opened, and then doubles with each round trip.
// Without it, all samples would be opened before the first one is read.
type openLimit struct {
	mu      sync.Mutex
	listed  int                   // samples listed so far
	allowed int                   // how many of these may be opened
	steady  int                   // opens left before the limit grows
	waiting map[int]chan struct{} // by number; closed when the sample may be opened
}

// initialOpens is half of the requests that an object client has in flight at first. The other half is for reads.
const initialOpens = 32

// newOpenLimit returns nil if the source is not remote.
func newOpenLimit(src source.Source, o Options) *openLimit {
	if !source.IsRemote(src) {
		return nil
	}
	begin := max(o.Batch, initialOpens)
	return &openLimit{allowed: begin, steady: begin, waiting: map[int]chan struct{}{}}
}

// number counts a listed sample, and returns its number from 1.
func (a *openLimit) number() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listed++
	return a.listed
}

// begin waits until the sample with that number may be opened.
func (a *openLimit) begin(ctx context.Context, number int) error {
	a.mu.Lock()
	if number <= a.allowed {
		a.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	a.waiting[number] = turn
	a.mu.Unlock()
	defer parts.Waited(ctx, time.Now())
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end reports that a sample was opened. One more may be opened then, or two once the limit grows.
func (a *openLimit) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.steady--; a.steady < 0 {
		a.allow()
	}
	a.allow()
}

// allow raises the limit by one. It wakes only the worker that waits for this number: hundreds may wait.
func (a *openLimit) allow() {
	a.allowed++
	if turn := a.waiting[a.allowed]; turn != nil {
		close(turn)
		delete(a.waiting, a.allowed)
	}
}
