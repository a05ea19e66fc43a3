// Package mem allocates C memory and counts it by purpose, for the few things C has to find at a
// fixed address outside the Go heap: cancellation flags, sinks, readers.
//
// Memory from Alloc is owned by the caller and MUST be given back by Free, with the same purpose and
// size. The garbage collector knows nothing of it. What is in use is counted per process, so that a
// test can demand that nothing is left; giving back more than was taken panics.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package mem
