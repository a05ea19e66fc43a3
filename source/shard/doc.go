// Package shard reads tar files as data sets: what their members are called, where their bytes lie, and which of them
// belong to one sample.
//
// [Scan] reads the headers only, and gives an [Index]; after it each member can be read where it lies ([Open]), in any
// order, by several goroutines at a time. Of an archive in memory the members are parts of that memory. An archive that
// is compressed as a whole has to be decompressed first: see [Decompress].
//
// Formats are ustar, GNU tar (long names, numbers in base 256), PAX (path, size, linkpath) and the older ones without a
// magic number. Hard links stand for the member they name. Folders, symbolic links, devices and what else is no file are
// passed over; a sample with a sparse file is ErrUnsupported.
//
// # Samples
//
// As in WebDataset, the key of a member is its path up to the first dot of its base name, what follows is its
// extension, and members with the same key that come one after the other are one sample: 0001.jpg, 0001.cls and 0001.json,
// say. Members whose base name has no dot, or begins with one, and those called __something__ belong to no sample. The
// member with the extension cls holds the label, an integer.
//
// [Saved] is an index in a file, for archives that are opened often: it is some 15 bytes a member, and read in a fraction of
// the time that a scan takes.
//
// # Damage
//
// What is wrong with one sample (two members of the same name, a path that leads out of the archive, a label that is
// none) is that sample's error. What is wrong with the archive (a header whose checksum does not fit, an end in the
// middle) ends the scan; what came before is good, and [Index.Damage] says what happened. The last member of an
// archive that was cut off has the size that its header says, and reading it is ErrTruncated.
//
// Nothing is ever written to a file system, and no memory is taken that a header asks for: an index takes less than the
// headers it was read from.
//
// # Concurrency
//
// An Index is immutable. Objects are as safe for concurrent use as what they are read from.
package shard
