package main

// #include <stdint.h>
import "C"

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
)

// handles are the Go values that C holds, by number. Numbers are never reused, so a released handle is always
// recognized. The table is global, like the C heap.
var handles struct {
	last  atomic.Uintptr
	table sync.Map // of *handle, by number
}

// handle is a value that C holds.
type handle struct {
	value io.Closer
	calls sync.RWMutex    // held for reading by calls that use it
	ctx   context.Context // ends when the handle is released
	end   context.CancelFunc
}

// register passes a value to C, which owns it from now on.
func register(value io.Closer) C.uintptr_t {
	h := &handle{value: value}
	h.ctx, h.end = context.WithCancel(context.Background())
	number := handles.last.Add(1)
	handles.table.Store(number, h)
	return C.uintptr_t(number)
}

// find returns the value with a number.
func find[T io.Closer](number C.uintptr_t) (h *handle, value T, err error) {
	kind := strings.TrimPrefix(reflect.TypeFor[T]().String(), "*main.")
	if number == 0 {
		return nil, value, fmt.Errorf("%w: a NULL in place of %s", spool.ErrOptions, kind)
	}
	found, ok := handles.table.Load(uintptr(number))
	if !ok {
		return nil, value, fmt.Errorf("%w: %s was released", spool.ErrClosed, kind)
	}
	h = found.(*handle)
	if value, ok = h.value.(T); !ok {
		return nil, value, fmt.Errorf("%w: a handle of another type in place of %s", spool.ErrOptions, kind)
	}
	return h, value, nil
}

// use calls do with a value that C holds. The value is not closed during the call. ctx ends when C releases the handle.
func use[T io.Closer](number C.uintptr_t, do func(ctx context.Context, value T) error) error {
	h, value, err := find[T](number)
	if err != nil {
		return err
	}
	if !h.calls.TryRLock() { // it is being closed
		return fmt.Errorf("%w: released during the call", spool.ErrClosed)
	}
	defer h.calls.RUnlock()
	return do(h.ctx, value)
}

// release releases a handle: it cancels running calls, waits for them, and closes the value. NULL is ignored.
func release[T io.Closer](number C.uintptr_t) error {
	if number == 0 {
		return nil
	}
	h, value, err := find[T](number)
	if err != nil {
		return err
	}
	if _, mine := handles.table.LoadAndDelete(uintptr(number)); !mine {
		return fmt.Errorf("%w: released by another thread", spool.ErrClosed)
	}
	h.end()
	h.calls.Lock()
	return value.Close()
}

// serial lets one call at a time use a value that must not be used concurrently. Other calls wait until their contexts
// end.
type serial chan struct{}

func newSerial() serial { return make(serial, 1) }

func (t serial) do(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil { // select would choose either of two ready cases
		return err
	}
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}
