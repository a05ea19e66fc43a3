// Package pipenet connects HTTP servers and clients by pipes in memory, for tests.
//
// Reads and writes of a pipe block on channels. So a server, its client and all readers can run in a bubble of
// testing/synctest, whose clock stops while any of them works. Times are exact, however slow the machine is. [Refused]
// returns an address that refuses connections.
package pipenet
