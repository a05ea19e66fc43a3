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

// handles are what C holds of Go: numbers, which are never used twice, so that one that was given up is always told
// from another. The table is the library's, as its C heap is.
var handles struct {
	last  atomic.Uintptr
	table sync.Map // of *handle, by number
}

// handle is something that C holds.
type handle struct {
	value io.Closer
	calls sync.RWMutex    // held for reading by those that use it
	ctx   context.Context // ends when it is given up
	end   context.CancelFunc
}

// open hands a value to C, which owns it from now on.
func open(value io.Closer) C.uintptr_t {
	h := &handle{value: value}
	h.ctx, h.end = context.WithCancel(context.Background())
	number := handles.last.Add(1)
	handles.table.Store(number, h)
	return C.uintptr_t(number)
}

// find gives what C holds under a number.
func find[T io.Closer](number C.uintptr_t) (h *handle, value T, err error) {
	kind := strings.TrimPrefix(reflect.TypeFor[T]().String(), "*main.")
	if number == 0 {
		return nil, value, fmt.Errorf("%w: a NULL in place of %s", spool.ErrOptions, kind)
	}
	found, ok := handles.table.Load(uintptr(number))
	if !ok {
		return nil, value, fmt.Errorf("%w: %s was given up", spool.ErrClosed, kind)
	}
	h = found.(*handle)
	if value, ok = h.value.(T); !ok {
		return nil, value, fmt.Errorf("%w: a handle of another kind in place of %s", spool.ErrOptions, kind)
	}
	return h, value, nil
}

// use does something with what C holds, which is not closed meanwhile. Ctx ends when C wants to close it.
func use[T io.Closer](number C.uintptr_t, do func(ctx context.Context, value T) error) error {
	h, value, err := find[T](number)
	if err != nil {
		return err
	}
	if !h.calls.TryRLock() { // somebody closes it
		return fmt.Errorf("%w: given up meanwhile", spool.ErrClosed)
	}
	defer h.calls.RUnlock()
	return do(h.ctx, value)
}

// closing takes what C gives up: calls under way are ended, and waited for. NULL is ignored.
func closing[T io.Closer](number C.uintptr_t) error {
	if number == 0 {
		return nil
	}
	h, value, err := find[T](number)
	if err != nil {
		return err
	}
	if _, mine := handles.table.LoadAndDelete(uintptr(number)); !mine {
		return fmt.Errorf("%w: given up by another thread", spool.ErrClosed)
	}
	h.end()
	h.calls.Lock()
	return value.Close()
}
