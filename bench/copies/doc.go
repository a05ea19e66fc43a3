// Package copies measures the copies of batches to a device and back. It compares their bandwidth with that of the bare
// driver, and measures how much of a copy a consumer hides that takes as long.
//
// # Method
//
// Before a size is timed, a batch of this size is copied to the device and back, and its bytes are compared. Then the
// steps run in rounds, in another random order each. A turn of a step copies many batches, one after the other, and the
// fastest turn counts. The floor of copies is a loop in C that queues the same number in one stream, from registered
// memory, and waits for the last.
//
// The consumer is a kernel that spins as long as a copy takes, and reads from its batch. Hidden is the share of the
// copies' time that the consumer hides. The first copy cannot be hidden, and does not count.
//
// `spool bench transfer` prints the result of [Measure].
package copies
