package table

import "io"

// Schema describes a table that is written.
type Schema struct {
	Fields []Field
	// Metadata is keys and values that the file has besides its rows.
	Metadata [][2]string
	// Compress compresses values, where the format of the file can: Parquet, by gzip.
	Compress bool
}

// Field is a column of a table that is written.
type Field struct {
	Name string
	Kind FieldKind
}

// FieldKind is the type of a column that is written. Any value may be missing.
type FieldKind uint8

// The types of columns.
const (
	MediaField   FieldKind = iota // a structure of bytes and path, as in Hugging Face's datasets
	TextField                     // UTF-8
	BytesField                    // binary
	IntegerField                  // signed, 64 bits
	FloatField                    // double precision
	BoolField
)

// Value is a value of a row that is written. The zero value is a missing one.
type Value struct {
	Present bool
	Data    []byte // of text, binary and media
	Path    string // of media
	Integer int64
	Float   float64
	Bool    bool
}

// MaxValue is the most bytes of a value that is written.
const MaxValue = 1 << 30

// The limits of a part of a table that is written: rows are collected in memory until one of them is reached.
const (
	PartRows  = 1000
	PartBytes = 16 << 20
)

// Writer writes the rows of a table. It is used by one goroutine.
type Writer interface {
	// WriteRow adds a row with a value for each field. It keeps no reference to the values' data.
	WriteRow(values []Value) error
	// Close writes what follows the rows. It does not close the file.
	Close() error
}

// File is a file of rows that was written.
type File struct {
	Name  string
	Rows  int
	Bytes int64
}

// CreateIndex makes a file that lists the files of a data set for other readers. The result depends on the arguments
// alone. Package chunked implements it.
type CreateIndex func(s Schema, files []File) (name string, contents []byte, err error)

// Create begins a table in a file. Package arrow and package parquet implement it.
type Create func(w io.Writer, s Schema) (Writer, error)
