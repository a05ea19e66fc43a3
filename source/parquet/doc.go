// Package parquet reads Parquet files as manifests for package source: paths, labels and keys, or the media themselves.
// It also reads all columns of such a file, value by value.
//
//	source.Options{Formats: map[string]table.Format{".parquet": parquet.Open}}
//
// Columns are found by the names that source.Manifest looks for; case is ignored, and a dot leads into a structure.
// Labels and keys are integers or text. The column of paths has one of three forms:
//
//   - text: the paths of files
//   - binary: the files themselves
//   - a structure of bytes and path, as in Hugging Face's datasets: the bytes if a row has them, or else the path. The
//     path is the sample's key if there is no column of keys.
//
// With table.Columns.Cells, the rows are table.Cells of all columns. Lists and structures are JSON, in which bytes are
// base64, and NaN and infinities are null. A map is a list of structures of key and value. Dates and times are the
// integers that the file has, but those of 96 bits are nanoseconds since 1970. Columns are read when they are needed,
// as media are. The first value of a row group's list takes longest: all levels of its column are read then.
//
// # Reading
//
// [Open] reads the footer. The columns of paths, labels and keys of a local file are read when they are needed, as
// media are. Those of another file, such as one in a store, are read at once and stay in memory: their text, and 4
// bytes per row and column (8 for integers).
//
// What is needed is a page, with the rows around it. The headers of the pages of a row group come first, 1 KiB each,
// then the whole page with the row. About 100 bytes stay in memory for each page. Decoded pages are cached in
// table.Cache, those of paths, labels and keys in table.Cache.Rows. Load media in the order of order.NewShards of
// Listing.Sizes, whose shards are the row groups. If the decoded paths of a file exceed that cache, each row in random
// order decodes a page, with some 10,000 rows: a table of package arrow is faster.
//
// # Formats
//
// parquet-go decodes footers and page headers. Values are decoded here, since that library allocates as much memory as
// a file asks for. Supported are the encodings PLAIN, RLE_DICTIONARY, RLE, DELTA_BINARY_PACKED,
// DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY and BYTE_STREAM_SPLIT, pages of both versions, uncompressed or compressed
// by Snappy, gzip or Zstandard. Other encodings and codecs, encryption, and columns in other files are ErrUnsupported.
// Checksums of pages are verified if there are any.
//
// # Damage
//
// The sizes that a file declares are compared with its own size, and with the most that its codec can produce, before
// memory is allocated. Neither a page nor the columns that stay in memory may exceed the limit of table.Cache, and
// no page may have more than 2^24 values. A bad page that is read when it is needed is an error of its samples;
// anything else is an error of Open.
package parquet
