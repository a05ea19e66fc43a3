// Package dlpack hands arrays to other libraries without a copy, as DLPack has it: the structures that NumPy,
// PyTorch, JAX, CuPy, TVM and others take from each other.
//
// # Ownership
//
// [New] gives a tensor, which keeps the array's memory until its deleter is called: by the consumer, once, on any thread.
// That calls the release function it was made with. A tensor that no consumer takes is ended by [Delete].
//
// # Forks
//
// In a child of the process that made a tensor its deleter does nothing, for the memory is the parent's, and Go does
// not run in the child.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package dlpack
