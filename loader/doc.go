// Package loader is the whole road, composed: from a source of files to batches of decoded samples.
//
//	src, err := source.Folder("photos", source.Options{})
//	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec})
//	defer ld.Close()
//	for b, err := range ld.Batches(ctx) {
//		...
//		b.Release()
//	}
//
// # Stages
//
// list names the samples in order; open finds each file's size and takes its slot and memory, in
// order, so that samples never wait for each other's memory in a circle; fetch reads; decode writes
// into the slot; batch gathers. Each stage is bounded, so a consumer that stops reading stops
// everything. Report says what each stage did and which one limits.
//
// # Order
//
// By default batches are those of the list of good samples in input order, the same bytes for any
// number of workers.
//
// # Bad samples
//
// A sample that cannot be read or decoded goes to the ledger, is skipped, and the next one takes its
// slot; see [Policy] for the alternatives. A batch never shrinks because of it.
//
// # Ownership
//
// The loop's body owns each batch and calls Release on it. Breaking out of the loop stops everything
// and waits for it.
package loader
