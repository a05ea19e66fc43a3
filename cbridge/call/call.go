package call

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sync/semaphore"

	"github.com/spoolmedia/spool/cbridge/mem"
)

var capacity = max(4, 2*int64(runtime.NumCPU()))

var door = semaphore.NewWeighted(capacity) // one for the process, as its threads are

const flagBytes = 4

// Capacity is the weight that may be in C at one time, max(4, 2 x CPUs): enough that a core has a call
// to run while others wait for a page or a lock, and far below the number of goroutines a program may start.
func Capacity() int64 { return capacity }

// Call is one admitted entry to C. It belongs to the goroutine that entered.
type Call struct {
	ctx    context.Context
	weight int64
	flag   *int32 // in C memory; nil when ctx never ends
	stop   func() bool
	set    chan struct{} // closed once the flag has been set

	spoiling sync.Mutex
	ended    bool   // the flag is set
	input    []byte // to be overwritten then
}

// Enter waits for admission. Weight is the number of threads the call will keep busy; it is taken as
// at least 1 and at most Capacity(). The error is ctx's when it ends first, or spool.ErrOutOfMemory.
// On success the caller MUST call Leave once.
func Enter(ctx context.Context, weight int64) (*Call, error) {
	c := &Call{ctx: ctx, weight: min(max(weight, 1), capacity)}
	if err := door.Acquire(ctx, c.weight); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return c, nil
	}
	flag, err := mem.Alloc(mem.Flag, flagBytes)
	if err != nil {
		door.Release(c.weight)
		return nil, err
	}
	c.flag = (*int32)(flag)
	c.set = make(chan struct{})
	c.stop = context.AfterFunc(ctx, func() {
		atomic.StoreInt32(c.flag, 1)
		c.spoil()
		close(c.set)
	})
	return c, nil
}

// Leave frees the flag and admits the next. It panics when called a second time.
func (c *Call) Leave() {
	if c.weight == 0 {
		panic("call: Leave called twice")
	}
	if c.flag != nil {
		if !c.stop() {
			<-c.set // the setter has begun: the flag is its until it is through
		}
		mem.Free(mem.Flag, unsafe.Pointer(c.flag), flagBytes)
		c.flag = nil
	}
	door.Release(c.weight)
	c.weight = 0
}

// Flag is an int32 in C memory, not zero once the context has ended, valid until Leave; nil when the
// context never ends.
func (c *Call) Flag() unsafe.Pointer { return unsafe.Pointer(c.flag) }

// Context is what the call was entered with, for what waits in Go on C's behalf.
func (c *Call) Context() context.Context { return c.ctx }

// spoil overwrites the input that was named, once the flag is set.
func (c *Call) spoil() {
	c.spoiling.Lock()
	defer c.spoiling.Unlock()
	c.ended = true
	clear(c.input)
}

// Spoil names the input of a library that cannot be interrupted: n bytes of C memory, at least 1, that are overwritten
// with zeros when the context ends, while the library may be reading them. It must be a private copy, and input for
// which any bytes are safe and zeros are fast. The caller MUST call keep before it frees the memory: afterwards
// nothing is written. spoiled says that the context has ended before: then the result is void.
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

// Err is the context's error once the flag is set, nil before. It must not be called after Leave.
func (c *Call) Err() error {
	if c.flag == nil || atomic.LoadInt32(c.flag) == 0 {
		return nil
	}
	return c.ctx.Err()
}
