// Capi is spool as a C library: it is built with -buildmode=c-shared, and spool.h, with the headers that it includes, is
// its documentation.
//
// A function of spool.h is a few lines of C (NOUN.c), which turn a forked process away before Go is entered, and a Go
// function behind it (NOUN.go), which runs in guard. Handles are numbers of a table (handle.go), so that no Go pointer
// is C's; arrays are structs in C memory with a count of holders (array.c). Options are read by internal/settings, as
// the command's flags are.
//
// To add one: write it into a header (spool_NOUN.h) with its comment, name it in spool.map, and add both halves.
package main

// /* What devices.c stands in for is not asked for. */
// #cgo LDFLAGS: -Wl,--as-needed
import "C"

func main() {}
