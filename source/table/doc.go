// Package table reads the tables that list samples: CSV and TSV (RFC 4180), and JSON lines. Package parquet reads one
// more format.
//
// [Open] finds the rows of a file and the columns for paths, labels and keys. [Rows] are parsed when they are asked
// for. The file is kept in memory outside Go's heap. [Media] are rows that hold samples, and not only their paths.
// [Cells] are rows whose values can all be read.
// Package source makes the samples of a listing from rows: it resolves paths and numbers classes.
//
// Errors are *spool.Error: ErrEmpty, ErrTooLarge, and ErrCorrupt for a table without a column of paths. The error of a
// row that cannot be parsed is that row's alone.
//
// Rows are safe for concurrent use.
package table
