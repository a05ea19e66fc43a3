// Package mem allocates C memory and counts it by purpose. It is for the few things that C needs at a fixed address
// outside the Go heap: cancellation flags, sinks, readers.
//
// The caller owns memory from Alloc and MUST release it with Free, with the same purpose and size. The garbage
// collector does not manage this memory. The counters are global to the process, so a test can check that nothing is
// leaked. Freeing more than was allocated panics.
//
// All functions are safe for concurrent use. This package is internal to the module: no compatibility promise.
package mem
