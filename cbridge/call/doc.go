// Package call bounds and cancels calls of C.
//
// A goroutine blocked in C occupies a thread of the system, so the process admits a bounded number at a time. C cannot
// see a context: the package sets a flag in pinned memory when the context ends.
//
//	c, err := call.Enter(ctx, 1)
//	if err != nil {
//		return err // ctx ended while waiting
//	}
//	defer c.Leave()
//	// ... one coarse cgo call that polls c.Flag() with spool_cancelled of cancel.h ...
//
// Nested entries can deadlock: the owner of a Call must not call Enter again. This package is internal to the module:
// no compatibility promise.
package call
