// Package npy reads arrays as NumPy writes them: NPY files of versions 1 to 3, and NPZ archives of them.
//
// [Parse] takes a file in memory: the array's data is a part of it, nothing is copied. [Open] reads the names and places of
// an archive's arrays, and [Archive.Array] one of them: a part of the archive where that is in memory and the array is
// stored, as numpy.savez does; else it is read, or inflated, into new memory.
//
// All numbers are read: bool, signed and unsigned integers, float of 2 to 16 bytes, complex, in either byte order, in C or
// Fortran order. Structured arrays, text, times and Python objects are ErrUnsupported; nothing is ever unpickled.
//
// # Damage
//
// Sizes are checked before memory is taken: a header that promises more than the file holds is ErrTruncated, an array
// beyond the limit ErrTooLarge. Of an archive's arrays, length and CRC are checked each time one is read. Two of one name,
// names that lead out of the archive, and arrays that overlap are ErrCorrupt.
//
// # Concurrency
//
// An Array is a value; an Archive is as safe for concurrent use as the object it reads from.
package npy
