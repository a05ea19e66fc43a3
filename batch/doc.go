// Package batch builds batches in place. A slab has one slot per sample, decoders write directly to the slots, and a
// full slab is a batch. No sample of fixed size is copied, except after a failed sample.
//
// # Slots before samples
//
// A slot must be assigned before its sample is decoded, when it is not yet known whether the sample fails.
// [Assembler.Slot] therefore assigns slots in input order, assuming that no sample fails. [Assembler.Add] puts each
// sample at its final place when its turn comes. Almost always the sample is already there. After a failure, the
// samples that were being decoded are one slot too far, and are copied.
//
// Each slab has one spare slot, which is used when there is such an offset. So a failure moves only the few samples
// that were being decoded at that time, and not all that follow.
//
// With [Exact] order, the batches are those of a list of only the good samples, for any number of decoders and any
// timing. With [Any], a sample stays in the slot where it was decoded, and the slot of a failed sample is assigned
// again. An epoch ends when its last sample is settled, whether older epochs are complete or not.
//
// In addition to its memory, a batch has a [Sample] for each slot, with the sample's origin and state. For images and
// clips it includes the [Crop], the area that the slot shows.
//
// # Samples that differ in size
//
// [Buckets] are an Assembler for each of several sizes, so that each batch has one size. A [Collator] makes padded or
// ragged batches, or batches of [Patches], of samples that were decoded into a [Single] each. It copies a sample once:
// the layout of such a batch is known when its last sample is decoded. Both need exact order.
//
// # Ownership
//
// A Slot is owned from Assembler.Slot until Add or Fail, of which exactly one is called, once. A Batch is owned by its
// receiver until Release. The pool needs room for two slabs, in addition to the consumer's batches.
package batch
