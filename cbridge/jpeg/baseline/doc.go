// Package baseline decodes the most common kinds of JPEG images, about twice as fast as libjpeg-turbo and to the same
// bytes. It declines other files and malformed ones: it returns a [Reason], and the caller decodes the image again by
// package jpeg.
//
// # Scope
//
// Huffman coding of 8 bits, one component or three, sampling factors of 1 and 2, restart markers: sequential (baseline
// and extended) in one interleaved scan, and progressive in any complete set of scans.
//
// # Speed
//
// A JPEG decoder spends most of its time on Huffman codes: each code must be decoded before the start of the next is
// known. Here one lookup gives a code together with the value after it, usually two of them, and the end of a block.
// The data are unstuffed beforehand, so one load reads the bits. Bounds are checked once for each MCU. Blocks are
// transformed while they are in the first-level cache. Tables are kept for later files with the same tables: few files
// have custom tables.
//
// The scans of a progressive image are read in parallel, row by row, so only the coefficients of one row are kept. For
// scans that refine coefficients, sets of the nonzero coefficients define which bit belongs to which coefficient, and
// one instruction distributes the bits.
//
// # Safety
//
// docs/jpeg.md explains what keeps reads and writes within their memory, whatever the data.
//
// The package is for this module only: it makes no compatibility promise.
package baseline
