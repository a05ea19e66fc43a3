// Package shard reads tar files as data sets: the names of their members, the positions of their bytes, and the samples
// that members form.
//
// [Scan] reads the headers only, and returns an [Index]. Each member can then be read in place ([Open]), in any order,
// by several goroutines at a time. Members of an archive in memory share its memory. An archive that is compressed as a
// whole must be decompressed first: see [Decompress].
//
// Formats are ustar, GNU tar (long names, numbers in base 256), PAX (path, size, linkpath) and the older ones without a
// magic number. A hard link stands for the member that it names. Folders, symbolic links, devices and other special
// files are skipped. A sample with a sparse file is ErrUnsupported.
//
// # Samples
//
// As in WebDataset, the key of a member is its path up to the first dot of its base name, and the rest is its
// extension. Consecutive members with the same key are one sample: 0001.jpg, 0001.cls and 0001.json, for example.
// Members whose base name has no dot, or begins with one, and those called __something__ belong to no sample. The
// member with the extension cls holds the label, an integer.
//
// [Saved] is an index in a file, for archives that are opened often. It has some 15 bytes per member, and is read in a
// fraction of the time of a scan.
//
// # Damage
//
// Damage of one sample (two members of the same name, a path that leads out of the archive, an invalid label) is that
// sample's error. Damage of the archive (a header whose checksum does not match, a truncated file) ends the scan. The
// samples before it are valid, and [Index.Damage] returns the error. The last member of a truncated archive has the
// size of its header, and reading it is ErrTruncated.
//
// Nothing is written to a file system. No memory is allocated because a header asks for it: an index takes less than
// the headers from which it was read.
//
// # Concurrency
//
// An Index is immutable. Objects are as safe for concurrent use as the archives from which they are read.
package shard
