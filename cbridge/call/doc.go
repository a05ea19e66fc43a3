// Package call is the door to C. A goroutine blocked in C holds a thread of the system, so the
// process admits a bounded number at a time; and C hears of a cancelled context only through a flag
// in its own memory, which the package sets and tears down.
//
//	c, err := call.Enter(ctx, 1)
//	if err != nil {
//		return err // ctx ended while waiting
//	}
//	defer c.Leave()
//	// ... one coarse cgo call that polls c.Flag() with spool_cancelled of cancel.h ...
//
// Nested entries can deadlock: whoever holds a Call must not Enter again.
// Packages of this module only: no compatibility promise.
package call
