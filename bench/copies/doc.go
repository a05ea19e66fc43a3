// Package copies measures what it takes to bring batches to a device and back: bandwidth beside that of the bare driver,
// and how much of a copy is hidden behind a consumer that takes as long.
//
// # Method
//
// Before a size is timed, a batch of it goes to the device and comes back with the same bytes. Then the steps take turns, in an order
// that is drawn anew for each round; a turn brings many batches, one behind the other, and of each step the fastest turn
// counts. The floor of copies is a loop in C that queues as many in one stream, from memory that is registered, and waits for the last.
//
// The consumer is a kernel that spins as long as a copy takes and reads of its batch. Hidden is the share of the copies'
// time that does not show beside it; the first copy has nothing to hide behind, and does not count.
//
// `spool bench transfer` prints what [Measure] gives.
package copies
