// Package mutate fuzzes decoders with mutations of real files: blind, fast and repeatable.
//
// Go's own fuzzing is guided by the coverage of Go code. In a C decoder it sees no coverage, and spends most of its
// time on measuring it. A target made by [Fuzz] supports two modes. With -fuzz the engine runs it. With -mutations=N a
// plain loop runs it tens of times faster, as needed under the address sanitizer.
//
// Case i of a run is the same in every run with the same seed and files. When a case fails, its input is written to
// testdata/fuzz, and go test runs it from then on. When C code ends the process, no input can be written. In this case
// the file of -mutation.at holds the number of the case, and -mutation.first with -mutation.save writes its input
// (tools/fuzz does this).
package mutate
