// Package npy reads arrays as NumPy writes them: NPY files of versions 1 to 3, and NPZ archives of them.
//
// [Parse] takes a file in memory, and the array shares its bytes. [Open] reads the names and positions of an archive's
// arrays, and [Archive.Array] reads one of them. That array shares the archive's memory if the archive is in memory and
// the array is stored uncompressed, as by numpy.savez. Otherwise it is read, or inflated, into new memory.
//
// All numeric types are supported: bool, signed and unsigned integers, float of 2 to 16 bytes, complex, in either byte
// order, in C or Fortran order. Structured arrays, text, times and Python objects are ErrUnsupported. Nothing is
// unpickled.
//
// # Damage
//
// Sizes are checked before memory is allocated. A header that declares more bytes than the file holds is ErrTruncated,
// an array beyond the limit ErrTooLarge. Length and CRC of an archive's array are verified each time it is read.
// Duplicate names, names that lead out of the archive, and overlapping arrays are ErrCorrupt.
//
// # Concurrency
//
// An Array is a value. An Archive is as safe for concurrent use as the object from which it reads.
package npy
