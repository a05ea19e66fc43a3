// Capi is spool as a C library, built with -buildmode=c-shared. Its documentation is spool.h, with the headers that it
// includes.
//
// A function of spool.h is a few lines of C (NOUN.c), which fail in a forked process before Go is entered. They call a
// Go function (NOUN.go), which runs in guard. Handles are numbers in a table (handle.go), so C holds no Go pointers.
// Arrays are reference-counted structs in C memory (array.c). Package internal/settings reads options, as for the
// command's flags.
//
// To add a function, write it into a header (spool_NOUN.h) with its comment, list it in spool.map, and add both halves.
package main

// /* Do not link libavdevice: devices.c replaces its function. */
// #cgo LDFLAGS: -Wl,--as-needed
import "C"

func main() {}
