package call

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sync/semaphore"

	"github.com/spoolmedia/spool/internal/parts"
)

var capacity = max(4, 2*int64(runtime.NumCPU()))

var admission = semaphore.NewWeighted(capacity) // one for the process, because threads belong to the process

// Capacity returns the total weight of concurrent C calls, max(4, 2 x CPUs). So a core has a call to run while other
// calls wait for a page or a lock. It is far below the number of goroutines that a program may start.
func Capacity() int64 { return capacity }

// Call is one admitted C call. It belongs to the goroutine that called Enter.
type Call struct {
	ctx    context.Context
	weight int64
	clock  clock // pinned with the Call, so that C may read it
	timed  bool  // ctx may end or has a budget: C polls the clock
	budget *Budget
	own    bool       // budget ends with the call
	locked bool       // to its thread
	parts  parts.Func // nil: nobody observes the call
	pins   runtime.Pinner
	stop   func() bool    // nil if ctx never ends
	setter sync.WaitGroup // until expire has returned

	spoiling sync.Mutex
	ended    bool   // the flag is set
	input    []byte // to be overwritten at that time
}

// Enter waits for admission. weight is the number of threads that the call keeps busy; it is clamped to 1 and
// Capacity(). Enter returns ctx's error if ctx ends first. On success the caller MUST call Leave once.
func Enter(ctx context.Context, weight int64) (*Call, error) {
	c := &Call{ctx: ctx, weight: min(max(weight, 1), capacity), parts: parts.Of(ctx)}
	if err := c.admit(); err != nil {
		return nil, err
	}
	c.budget, _ = ctx.Value(budgetKey{}).(*Budget)
	if ctx.Done() == nil && c.budget == nil {
		return c, nil
	}
	c.timed = true
	c.pins.Pin(c)
	if c.budget != nil {
		c.pins.Pin(c.budget)
		c.budget.begin(&c.clock)
	}
	if ctx.Done() != nil {
		c.setter.Add(1)
		c.stop = context.AfterFunc(ctx, c.expire)
	}
	return c, nil
}

// EnterWithin is Enter for a call with a budget of its own, which Leave ends: see WithBudget.
func EnterWithin(ctx context.Context, weight int64, limit time.Duration) (*Call, error) {
	ctx, budget := WithBudget(ctx, limit, 1)
	c, err := Enter(ctx, weight)
	if err != nil {
		budget.End()
		return nil, err
	}
	c.own = budget != nil
	return c, nil
}

// admit waits for admission.
func (c *Call) admit() error {
	if c.parts != nil && c.ctx.Err() == nil && admission.TryAcquire(c.weight) {
		return nil // without a wait, there is none to show
	}
	defer c.Part("wait for other C calls", c.Begin())
	return admission.Acquire(c.ctx, c.weight)
}

// Begin returns the time at which a part of the call begins, for Part. Without an observer it is zero.
func (c *Call) Begin() (t time.Time) {
	if c.parts != nil {
		t = time.Now()
	}
	return t
}

// Part ends a part of the call, which traces show by its name: the library, and what it does. It does nothing without
// an observer. Functions that call C say defer c.Part("libpng: decode", c.Begin()).
func (c *Call) Part(name string, begin time.Time) {
	if c.parts != nil {
		c.parts(name, begin, time.Now())
	}
}

// expire sets the flag when the context ends.
func (c *Call) expire() {
	defer c.setter.Done()
	atomic.StoreInt32(&c.clock.flag, ended)
	c.spoil()
}

// Leave ends the use of the flag and releases the call's weight. It panics if it is called twice.
func (c *Call) Leave() {
	if c.weight == 0 {
		panic("call: Leave called twice")
	}
	if c.timed {
		if c.stop != nil && !c.stop() {
			c.setter.Wait() // expire is running: it uses the flag until it returns
		}
		if c.budget != nil {
			c.budget.end(&c.clock)
		}
		if c.own {
			c.budget.End()
		}
		if c.locked {
			runtime.UnlockOSThread()
		}
		c.pins.Unpin()
		c.timed = false
	}
	admission.Release(c.weight)
	c.weight = 0
}

// Flag returns a pointer to the flag that C polls with spool_cancelled. It is set when the context ends or has spent
// its budget. The pointer is valid until Leave. It is nil if the context never ends and has no budget.
func (c *Call) Flag() unsafe.Pointer {
	if !c.timed {
		return nil
	}
	return unsafe.Pointer(&c.clock)
}

// Late reports whether C must poll the flag, so that the processor time since the last poll counts. Callers of
// libraries that poll rarely ask it between their calls. From the first time on, the goroutine has its thread to
// itself until Leave, so that the time of others does not count.
func (c *Call) Late() bool {
	is := c.timed && atomic.LoadInt32(&c.clock.flag) == late
	if is && !c.locked {
		runtime.LockOSThread()
		c.locked = true
		c.clock.counting.Store(0)
	}
	return is
}

// Context returns the context passed to Enter, for Go code that waits on behalf of C.
func (c *Call) Context() context.Context { return c.ctx }

// spoil overwrites the registered input. It is called once the flag is set.
func (c *Call) spoil() {
	c.spoiling.Lock()
	defer c.spoiling.Unlock()
	c.ended = true
	clear(c.input)
}

// Spoil registers the input of a library that cannot be interrupted: n bytes of C memory, with n at least 1. When the
// context ends, they are overwritten with zeros, even while the library reads them. The input must be a private copy,
// the library must be safe for any bytes, and zeros must be fast to process. The caller MUST call keep before it frees
// the memory; nothing is written after that. If keep returns true, the context had ended before, and the result is
// invalid.
func (c *Call) Spoil(input unsafe.Pointer, n int) (keep func() (spoiled bool)) {
	c.spoiling.Lock()
	defer c.spoiling.Unlock()
	c.input = unsafe.Slice((*byte)(input), n)
	if c.ended {
		clear(c.input)
	}
	return func() bool {
		c.spoiling.Lock()
		defer c.spoiling.Unlock()
		c.input = nil
		return c.ended
	}
}

// Err returns the context's error or that of its budget once the flag is set, and nil before. It must not be called
// after Leave.
func (c *Call) Err() error {
	if !c.timed {
		return nil
	}
	switch atomic.LoadInt32(&c.clock.flag) {
	case ended:
		return c.ctx.Err()
	case spent:
		return c.budget.err()
	}
	return nil
}
