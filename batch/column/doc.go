// Package column gives the metadata of batches of records as columns in the memory layout of Apache Arrow. These are
// text, numbers, JSON, bytes, and columns of tables that are passed on with their types.
//
// [Of] returns the columns of a batch, by their [Field]s, which a loader knows: loader.Loader.Columns. The buffers of a
// [Column] are those of an Arrow array of its type, so that other libraries use them without a copy. A program with
// arrow-go makes an array of them by array.NewData and memory.NewBufferBytes. Column.Value needs no other library.
package column
