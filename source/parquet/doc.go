// Package parquet reads Parquet files as manifests of package source: paths, labels and keys, or the media themselves.
//
//	source.Options{Formats: map[string]source.Format{".parquet": parquet.Open}}
//
// Columns are found by the names that source.Manifest looks for, in any case; a dot leads into a structure. The column of
// paths may be text, and the names of files then; binary, and the files themselves; or a structure of bytes and path, as
// Hugging Face's datasets are written: the bytes where a row has them, else the path, which is the sample's key if there is no
// column of keys. Labels and keys are integers or text. Lists cannot be read.
//
// # What is read when
//
// [Open] reads the footer, and the columns of paths, labels and keys, which stay in memory: their text, and 4 bytes a row and
// column (8 for integers). Media are read when they are asked for: the headers of the pages of a row group first, 1 KiB
// each, then the page that the row is in, as a whole. Pages are kept in source.Unpacked: take samples in the order of
// order.NewShards, of Listing.Sizes, which has the row groups.
//
// # Formats
//
// Footers and page headers are decoded by parquet-go. Values are decoded here, since that library takes the memory that
// a file asks for: encodings PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY,
// pages of both versions, uncompressed or by Snappy, gzip or Zstandard. Others, encryption, and columns in other files are
// ErrUnsupported. Checksums of pages are checked where there are any.
//
// # Damage
//
// What a file promises is compared with its size, and with what its codec could give, before memory is taken. Neither a
// page nor all that stays in memory of a file may have more bytes than source.Unpacked keeps, and no page more than 2^24
// values. What is wrong with a page of media is the error of the samples in it; anything else is an error of Open.
package parquet
