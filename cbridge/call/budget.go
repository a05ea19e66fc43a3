package call

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool"
)

// clock is the flag of a call and its budget. cancel.h has the same layout.
type clock struct {
	flag     int32
	counting atomic.Int32 // of C: 0 while the thread's time since the last poll does not count
	_        uint64
	_        int64
	left     *int64 // of the budget, in pinned memory
}

// Values of a clock's flag.
const (
	ended = 1 // the context has ended
	late  = 2 // the budget may be spent: C reads the thread's processor time at each poll
	spent = 3 // it is spent
)

// Budget limits the processor time of the C calls of one decode, all together, also of those that run at the same time.
// Calls in which C does not poll, and threads that C starts, are not counted.
type Budget struct {
	limit time.Duration
	timer *time.Timer
	left  int64 // nanoseconds of processor time for late calls; C takes from it

	mu    sync.Mutex
	late  bool      // the time in which nothing is measured has passed
	calls []*clock  // that run now
	one   [1]*clock // memory of calls, for as many as a decode has as a rule
}

type budgetKey struct{}

// WithBudget returns a context whose calls together may take the given processor time. Calls that take more fail with
// ErrTimeout. The caller MUST call End. threads is the most calls that run at a time. A limit below 0 is none: the
// budget is nil.
//
// Threads cannot use more processor time than passes by the clock for each. So nothing is measured until they may have
// used half of the limit. Then the other half is left, measured at C's polls. A decode that needs up to half of the
// limit is never stopped, whatever else the machine does.
func WithBudget(ctx context.Context, limit time.Duration, threads int) (context.Context, *Budget) {
	if limit < 0 {
		return ctx, nil
	}
	half := limit / 2
	b := &Budget{limit: limit, left: int64(half), late: half == 0}
	b.calls = b.one[:0]
	b.timer = time.AfterFunc(half/time.Duration(max(threads, 1)), b.expire)
	return context.WithValue(ctx, budgetKey{}, b), b
}

// End ends the use of the budget, after its calls. End of nil does nothing.
func (b *Budget) End() {
	if b != nil {
		b.timer.Stop()
	}
}

// expire makes the calls that run now late, and all later ones.
func (b *Budget) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.late = true
	for _, c := range b.calls {
		atomic.CompareAndSwapInt32(&c.flag, 0, late)
	}
}

// begin adds a call's clock.
func (b *Budget) begin(c *clock) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.left = &b.left
	b.calls = append(b.calls, c)
	if b.late {
		c.flag = late
	}
}

// end removes a call's clock.
func (b *Budget) end(c *clock) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = slices.DeleteFunc(b.calls, func(x *clock) bool { return x == c })
}

// err is the error of a call that has spent the budget.
func (b *Budget) err() error { return spentError{b.limit} }

// spentError is a timeout in processor time.
type spentError struct{ limit time.Duration }

func (e spentError) Error() string { return "more than " + e.limit.String() + " of processor time" }

// Unwrap returns the class.
func (e spentError) Unwrap() error { return spool.ErrTimeout }
