// Package batch puts samples side by side in memory: a slab has one slot a sample, decoders write
// straight into the slots, and a full slab is a batch. Nothing is copied on the way, save after a
// failed sample (see below).
//
// # Slots before samples
//
// A slot has to be known before its sample is decoded, and so before anyone knows whether that will
// work. [Assembler.Slot] therefore gives out slots in input order as a prediction, and
// [Assembler.Add] puts the sample where it belongs once its turn comes: nearly always it lies there
// already; after a failure the samples that were under way lie one slot too far and are copied. A
// slab has one spare slot, which is given out when there is such slack, so that a failure moves the
// few samples under way and not every sample that follows.
//
// With [Exact] order the batches are what a list of only the good samples would give, for any number
// of decoders and any timing. With [Any] a sample stays where it was decoded, a slot whose sample
// failed is given out again, and an epoch ends with the last of its samples to be settled, whether
// older epochs are complete or not.
//
// Beside its pixels a batch has a [Sample] for each slot: where it came from and what became of it, and of a
// picture the [View], the part that the slot shows.
//
// # Ownership
//
// A Slot is owned from Assembler.Slot on; it ends with Add or Fail, exactly one of them, once. A Batch is
// owned by whoever receives it and ends with Release. The pool needs room for two slabs besides the
// batches that the consumer holds.
package batch
