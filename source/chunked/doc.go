// Package chunked reads data sets of MosaicML Streaming (MDS) and of LitData as tables for package source.
//
//	source.Options{Sets: map[string]table.Set{"index.json": chunked.Set()}}
//
// A data set is a folder with index.json and files of many samples: shard.00000.mds, or chunk-0-0.bin. Samples have the
// order of the index. Their values are the columns. Those of LitData have the keys of dictionaries, and the positions
// in lists: image, or 0, or meta.size.
//
// # Values
//
// Bytes and encoded images (bytes, jpeg, png, image, video, audio, file) are media, where they are in the file.
// Numbers, text, truth values and JSON are cells. Raw pixels of Pillow, arrays, tensors and lists of images have no
// form that a table has: they are ErrUnsupported when they are asked for. Pickled values are never loaded.
//
// The media are in the first column whose name source.Manifest looks for, or in the only one of media.
//
// # Reading
//
// Listing reads the index, and the labels and keys of all samples, if there are such columns. A file's table of
// positions is read when one of its samples is, and table.Cache keeps it: 4 bytes for each sample. A file that is
// compressed as a whole by Zstandard is decompressed into the cache: load it in the order of order.NewShards of
// Listing.Sizes, whose shards are the files.
//
// # Formats
//
// MDS version 2, and LitData's files of its PyTreeLoader. Other compression, encryption, compressed samples or batches
// within a file, and blocks of tokens are ErrUnsupported.
//
// # Writing
//
// [NewWriter] writes a shard of MDS, and [MDSIndex] makes the index of all shards. The command is spool pack --format
// mds.
//
// # Damage
//
// Positions are compared with the file before memory is taken: wrong ones are ErrCorrupt, an error of their sample.
// Checksums of MDS are of whole files, and are not compared.
package chunked
