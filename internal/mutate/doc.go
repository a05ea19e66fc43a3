// Package mutate fuzzes decoders with mutations of real files: fast and repeatable.
//
// Half of the mutations change bytes blindly. The other half change elements of a file whose container is known: the
// segments of JPEG and JPEG 2000, the chunks of PNG and RIFF, the boxes of ISOBMFF and JP2, the elements of EBML, the
// frames of FLAC, the pages of Ogg. Elements are dropped, repeated, moved, cut, filled from other elements and other
// files, and their fields get the limits of their ranges. Then all lengths and checksums are computed again, so that
// decoders do not refuse the file early. [Sealed] does this last step alone.
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
