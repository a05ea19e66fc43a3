// Package arrow exports columns to other libraries by Arrow's C data interface, which pyarrow, Polars, DuckDB and
// arrow-go import without a copy.
//
// # Ownership
//
// [Export] fills two structures of the caller with one copy of the columns, in C memory. The consumer calls their
// release functions once each, on any thread; children may be moved out and released by themselves. The functions are C
// and need no Go, so that they also work in a forked child process.
//
// All functions are safe for concurrent use. This package is internal to the module: no compatibility promise.
package arrow
