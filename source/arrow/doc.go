// Package arrow reads Arrow IPC streams as tables for package source, and writes listings as such tables. Hugging
// Face's datasets keep such files in their cache and write them by save_to_disk; pyarrow.ipc writes them, too.
//
//	source.Options{Formats: map[string]table.Format{".arrow": arrow.Open}}
//
// Columns are found and read as package parquet does: a column of paths is text, binary, or a structure of bytes and
// path as in Hugging Face's data sets. With table.Columns.Cells, the rows are table.Cells of all columns. Lists and
// structures are JSON, in which bytes are base64, and NaN and infinities are null. Dates and times are the integers
// that the file has.
//
// # Reading
//
// [Open] reads the headers of all record batches, which take 16 bytes for each buffer of a batch. A local file is
// mapped into memory, and values are copied from there when they are needed. Of a table that [WriteTable] wrote, it
// reads no row; of another, the labels, if they are names of classes. A file that is cut short while it is mapped is
// an error of its rows.
//
// Of other files, the columns of paths, labels and keys stay in memory: 8 bytes for each row and column, and their
// text. Everything else is read when it is needed, in any order: values of up to 8 KiB by blocks of 64 KiB, which
// table.Cache keeps, and larger ones by themselves. Media are read from the file by their decoder.
//
// # Formats
//
// Supported are null, truth values, integers, floating-point numbers, dates, times, text, binary, lists and
// structures, little-endian and uncompressed, in the stream and in the file format. A dictionary is an error of its
// column's cells. Unions, views, runs and compressed batches are ErrUnsupported, and so are decimals, as cells.
//
// # Damage
//
// Positions and sizes that a file declares are compared with its own size before anything is read or allocated. A file
// that ends too early is ErrTruncated. The content of a batch is checked when it is read: damage is an error of its
// samples.
package arrow
