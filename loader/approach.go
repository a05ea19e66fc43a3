package loader

import (
	"context"
	"sync"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// approach is how samples come from afar, where each takes a round trip or two, and so hundreds have to be on their way.
//
// What one worker does at home is done in three stages. Many find samples; one takes memory for their bytes, in order; many
// read; and one takes the slots of those that have come, in order. So a sample on its way holds the bytes that it will have, which
// Options.Ahead bounds, and no part of a batch. Nobody waits in a circle: whoever waits for memory waits for samples in
// front of it, which have theirs, and will have slots before it; and whoever waits for a slot waits for samples that have both.
//
// How many are opened at a time begins with a batch, or some, stays so for as many, which are read meanwhile, and doubles from then
// on: all of them at once would be asked for before the first is read.
type approach struct {
	mu      sync.Mutex
	listed  int                   // samples so far
	may     int                   // of these, how many may be opened
	calm    int                   // how many are to be opened before their number grows
	waiting map[int]chan struct{} // closed when the sample of that number may be opened
}

const (
	farFetchers = 512
	farQueue    = 64 // that wait for one in front of them, beside those on their way
	farBegin    = 32 // half of what a client of objects asks for at a time to begin with: the others are for reading
)

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

// approach gives the samples of the list with their bytes and slots.
func (l *Loader) approach(list *pipe.Flow[*item], fetching pipe.Stage) *pipe.Flow[*item] {
	located := pipe.Map(list, "locate", fetching, l.stage("locate", l.locateInTurn))
	opened := pipe.Map(located, "open", pipe.Stage{}, l.stage("open", l.reserve))
	fetched := pipe.Map(opened, "fetch", fetching, l.stage("fetch", l.fetch))
	if l.assembler == nil {
		return fetched
	}
	return pipe.Map(fetched, "slot", pipe.Stage{}, l.seat)
}

// locateInTurn is locate, of one of many.
func (l *Loader) locateInTurn(ctx context.Context, it *item) error {
	if err := l.far.begin(ctx, it.number); err != nil {
		return err
	}
	defer l.far.end()
	return l.locate(ctx, it)
}

// setback is what stopped a sample before it had a slot.
type setback struct {
	stage string
	err   error
}

// seat takes the slot of a sample that has come, or of one that has not and is to have a placeholder.
func (l *Loader) seat(ctx context.Context, it *item) (*item, error) {
	if err := attempt(ctx, l.place, it); err != nil {
		return l.bad(ctx, it, "slot", err)
	}
	if it.failed != nil {
		return l.bad(ctx, it, it.failed.stage, it.failed.err)
	}
	return it, nil
}
