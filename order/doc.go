// Package order determines the order of samples and provides random numbers that depend on the sample.
//
// A [Sampler] maps the positions of an epoch to sample ids. It is a pure function: any position can be queried, at any
// time and from any goroutine. So the state of a run is only a position ([State]), and ranks share an epoch by
// arithmetic alone ([Split]).
//
//   - Each sample once: [Sequential]; [Permutation], which has no table; [Shards], for shards that are best read
//     sequentially; [Bucketed], in batches of similar length.
//   - Chosen by the caller: [List].
//   - Several times in a row: [Repeated], for repeated augmentation.
//   - Random, with replacement: [Replacement]; [Weighted].
//   - In fixed proportions: [Balanced], equal for all classes; [Mixture], of several data sets.
//   - In part: [First], the first positions of any sampler; [Share], those of one rank. [RankFrom] finds the rank.
//
// A [Rand] provides the random numbers of one (seed, epoch, occurrence, id, op). Augmentation of a sample draws from
// its Rand. So the result does not depend on the number of workers, their timing, or where a run was resumed. The
// occurrence, from [Counted], gives an id that comes several times in an epoch different numbers each time: see [Draw].
//
// # Ranks
//
// Ranks alternate every Split.Run positions of one global order. If Run is the batch size, each batch of a rank is a
// batch of the sampler. So it has the sampler's properties, such as similar lengths, or a mixture of all data sets.
// With Repeat or Drop, all ranks have the same number of batches, and Share reports how many samples that repeats or
// drops.
//
// # Resuming
//
// Each rank saves its [Mark], which has less than 1 KB of JSON. [Resume] computes where to continue. With the same
// number of ranks, each rank continues with the samples that would have followed. With another number, the ranks share
// the samples that no rank has taken, in the global order.
//
// # Stability
//
// The same arguments give the same ids and the same numbers in every release and on every platform. Golden tests check
// this.
//
// # Concurrency and cost
//
// Samplers are immutable and safe for concurrent use. They take a few hundred bytes for any length, except for the
// tables of [Weights], [Classes], [Buckets], [Shards] and [Mix], whose documentation gives their size. Tables are built
// once for all epochs, except those of Shards, which are built for each epoch. [Counted] holds some bytes for each
// position up to the last one queried. A Rand is a value that is cheap to create, for use by one goroutine. Nothing in
// this package is suitable for cryptography.
package order
