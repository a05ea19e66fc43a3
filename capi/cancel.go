package main

/*
#include "spool.h"
*/
import "C"

import "context"

// spool_cancel cancels calls.
type spool_cancel struct {
	context.Context
	set context.CancelFunc
}

// Close does not affect calls that use it.
func (c *spool_cancel) Close() error { return nil }

// withCancel runs a call with a context that ends with ctx, or when C cancels it. cancel is NULL or a spool_cancel.
func withCancel(ctx context.Context, cancel C.uintptr_t, do func(context.Context) error) error {
	if cancel == 0 {
		return do(ctx)
	}
	return use(cancel, func(_ context.Context, c *spool_cancel) error {
		if err := c.Err(); err != nil { // AfterFunc would cancel the context a little later
			return err
		}
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(c, end)()
		return do(ctx)
	})
}

//export goCancelNew
func goCancelNew(cancel *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "cancel", func() error {
		c := new(spool_cancel)
		c.Context, c.set = context.WithCancel(context.Background())
		*cancel = register(c)
		return nil
	})
}

//export goCancelSet
func goCancelSet(cancel C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "cancel", func() error {
		_, c, err := find[*spool_cancel](cancel)
		if err == nil {
			c.set()
		}
		return err
	})
}

//export goCancelRelease
func goCancelRelease(cancel C.uintptr_t) {
	guard(nil, "cancel", func() error { return release[*spool_cancel](cancel) })
}
