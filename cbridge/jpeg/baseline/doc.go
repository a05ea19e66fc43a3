// Package baseline decodes the JPEG pictures that most files are, about twice as fast as libjpeg-turbo and
// to the same bytes. Whatever else a file holds, and wherever it is not as it should be, the package steps
// aside: it names a [Reason], and the picture is to be decoded by package jpeg from its beginning.
//
// # Scope
//
// Huffman coding of 8 bits, one component or three, sampling factors of 1 and 2, restart markers: sequential
// (baseline and extended) in one interleaved scan, and progressive in any scans that are complete.
//
// # Speed
//
// Most of a JPEG decoder's time goes to Huffman codes, each of which tells only when it is decoded where the next
// one begins. Here one lookup gives a code together with the value behind it, mostly two of them, and the end
// of a block; the data are freed of stuffed bytes beforehand, so that the bits come by one load; bounds are checked
// once an MCU; and blocks are transformed while they are in the first-level cache. Tables are kept for the next
// file that has the same: few files have their own.
//
// The scans of a progressive picture are read side by side, row by row, so that no coefficients are kept but
// a row's. Where a scan refines coefficients, sets of those that are not zero say which bits are whose, and one
// instruction hands them out.
//
// # Safety
//
// docs/jpeg.md states what keeps reads and writes within their memory, whatever the data are.
//
// Packages of this module only: no compatibility promise.
package baseline
