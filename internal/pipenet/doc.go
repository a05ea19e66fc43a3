// Package pipenet joins HTTP servers and clients by pipes in memory, for tests.
//
// Reads and writes of a pipe block on channels. So a server, its client and what reads through it run in a bubble of testing/synctest,
// whose clock stands still while any of them works: times are exact, however slow the machine is. [Refused] is an address that refuses connections.
package pipenet
