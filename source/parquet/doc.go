// Package parquet reads Parquet files as manifests for package source: paths, labels and keys, or the media themselves.
//
//	source.Options{Formats: map[string]table.Format{".parquet": parquet.Open}}
//
// Columns are found by the names that source.Manifest looks for; case is ignored, and a dot leads into a structure.
// Labels and keys are integers or text. Lists cannot be read. The column of paths has one of three forms:
//
//   - text: the paths of files
//   - binary: the files themselves
//   - a structure of bytes and path, as in Hugging Face's datasets: the bytes if a row has them, or else the path. The
//     path is the sample's key if there is no column of keys.
//
// # Reading
//
// [Open] reads the footer and the columns of paths, labels and keys. These stay in memory: their text, and 4 bytes per
// row and column (8 for integers). Media are read when they are needed. The headers of the pages of a row group come
// first, 1 KiB each, then the whole page with the row. Pages are cached in table.Cache: load samples in the order
// of order.NewShards of Listing.Sizes, whose shards are the row groups.
//
// # Formats
//
// parquet-go decodes footers and page headers. Values are decoded here, since that library allocates as much memory as
// a file asks for. Supported are the encodings PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY and
// DELTA_BYTE_ARRAY, pages of both versions, uncompressed or compressed by Snappy, gzip or Zstandard. Other encodings
// and codecs, encryption, and columns in other files are ErrUnsupported. Checksums of pages are verified if there are
// any.
//
// # Damage
//
// The sizes that a file declares are compared with its own size, and with the most that its codec can produce, before
// memory is allocated. Neither a page nor the columns that stay in memory may exceed the limit of table.Cache, and
// no page may have more than 2^24 values. A bad page of media is an error of its samples; anything else is an error of
// Open.
package parquet
