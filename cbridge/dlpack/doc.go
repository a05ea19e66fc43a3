// Package dlpack exports arrays to other libraries without a copy, as DLPack tensors. NumPy, PyTorch, JAX, CuPy, TVM
// and others exchange arrays in this format.
//
// # Ownership
//
// [New] returns a tensor, which keeps the array's memory until its deleter is called. The consumer calls the deleter
// once, on any thread, and the deleter calls the release function passed to New. [Delete] ends a tensor that no
// consumer takes.
//
// # Forks
//
// In a forked child process, the deleter of a parent's tensor does nothing: the memory belongs to the parent, and Go
// does not run in the child.
//
// All functions are safe for concurrent use. This package is internal to the module: no compatibility promise.
package dlpack
