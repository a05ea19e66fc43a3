// Package mutate fuzzes decoders with mutations of real files: blind, fast and repeatable.
//
// Go's own fuzzing looks at the coverage of Go code. In a decoder that is C it sees nothing, and spends
// most of its time on looking. A target made by [Fuzz] serves both: under -fuzz the engine runs it, and
// with -mutations=N a plain loop does, tens of times faster, which is what is wanted under the
// address sanitizer.
//
// Case i of a run is the same in every run with the same seed and files. When one fails, its input is
// written to testdata/fuzz, where go test finds it from then on. When C code ends the process, nothing can
// be written: then -mutation.at tells which case it was, and -mutation.first with -mutation.save writes
// its input (tools/fuzz does this).
package mutate
