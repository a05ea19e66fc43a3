// Package order says which sample comes when, and gives random numbers that belong to a sample.
//
// An [Order] maps the positions of an epoch to sample ids: [Sequential], or a [Permutation] that
// holds no table. A [Rand] is the random numbers of one (seed, epoch, id, op): whoever augments
// sample id draws from its Rand, so the result does not depend on how many workers there are, in
// which order they run, or where a run was resumed.
//
// # Stability
//
// The same arguments give the same permutation and the same numbers in every release and on every
// platform. Golden tests hold the package to it.
//
// # Concurrency and cost
//
// Orders take a few hundred bytes whatever their length, are immutable and safe for concurrent use. A
// Rand is a value that costs nothing to make and belongs to one goroutine. Nothing here is fit for
// cryptography.
package order
