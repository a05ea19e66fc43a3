// Package order says which sample comes when, and gives random numbers that belong to a sample.
//
// A [Sampler] maps the positions of an epoch to sample ids, and is a function of them: any position can be asked for,
// at any time, from any goroutine. So a position is all that has to be kept of a run ([State]), and ranks need
// nothing but arithmetic to share one ([Split]).
//
//   - Each sample once: [Sequential]; [Permutation], which holds no table; [Shards], for what is read fastest
//     from its beginning to its end; [Bucketed], in batches of similar length.
//   - As somebody else chose: [List].
//   - By chance, with replacement: [Replacement]; [Weighted].
//   - In given proportions: [Balanced], from all classes equally often; [Mixture], of several data sets.
//   - In part: [Share], what one of several ranks takes of any of them. [RankFrom] finds out which.
//
// A [Rand] is the random numbers of one (seed, epoch, occurrence, id, op): whoever augments a sample draws from its Rand.
// So the result does not depend on how many workers there are, in which order they run, or where a run was resumed. The
// occurrence, from [Counted], gives an id that comes several times in an epoch other numbers each time; see [Draw].
//
// # Ranks
//
// Ranks take turns of Split.Run positions of one global order. With the batch size for Run, what is true of a batch of
// the sampler is true of a rank's batch: samples of similar length, a mixture of all data sets. With Repeat or Drop
// every rank has the same number of batches, and Share says what that cost.
//
// # Resuming
//
// Each rank writes down its [Mark], less than 1 KB of JSON. [Resume] makes of it where to go on: with as many ranks as
// before, the very samples that would have come; with another number, whatever nobody has taken, in the global order.
//
// # Stability
//
// The same arguments give the same ids and the same numbers in every release and on every platform. Golden tests hold
// the package to it.
//
// # Concurrency and cost
//
// Samplers are immutable and safe for concurrent use. They take a few hundred bytes whatever their length, but for the
// tables that [Weights], [Classes], [Buckets], [Shards] and [Mix] say they hold; those are made once for all epochs,
// Shards' for each. [Counted] holds some bytes for each position up to the last that was asked for. A Rand is a value
// that costs nothing to make and belongs to one goroutine. Nothing here is fit for cryptography.
package order
