package table

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/spoolmedia/spool"
)

// Rows are the rows of a table, safe for concurrent use.
type Rows interface {
	Len() int
	// Row returns row k. It reads local files only.
	Row(k int) (Row, error)
	// Labels yields the labels of all rows that can be read, in order.
	Labels() iter.Seq[string]
}

// Named are Rows that know the names of all columns, in lower case, so that unused columns can be reported. For JSON
// objects these are the names in the first rows.
type Named interface {
	Rows
	Names() []string
}

// Classed are Rows of a table that names its classes, sorted, so that no labels need to be read for them.
type Classed interface {
	Rows
	// Classes returns the names; nil if the table has none. Callers must not change the slice.
	Classes() []string
}

// Labeled are Rows whose labels may be read together.
type Labeled interface {
	Rows
	// ReadLabels sets labels to those of the rows from a row on: to integers, to what number returns for names, or to -1.
	// It returns false if the rows have to be read for their labels: some have no path, or cannot be read.
	ReadLabels(from int, labels []int64, number func(name []byte) int64) bool
}

// Row is a row of a table, as it is written.
type Row struct {
	Path  string // of its file
	Label string // an integer from 0 up, -1 for none, or the name of a class; empty for none
	Key   string // the sample's name in the data set
	Held  bool   // the table itself holds the bytes: see Media. Path is empty, or where they came from

	// Size and Version are what a store reported for the object at Path, both or neither.
	Size    int64
	Version string

	// Packed says that the bytes are those from Offset to Offset + Length of a shard that had Size and Version. Path then
	// leads to a member of the shard.
	Packed         bool
	Offset, Length int64
}

// stored sets Size and Version. One column without the other may mean something else, as "size" often does.
func (r *Row) stored(size, version string) {
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n > 0 && version != "" {
		r.Size, r.Version = n, version
	}
}

// Media are Rows that hold the bytes of samples, not only their paths.
type Media interface {
	Parted
	// Open returns the bytes that row k holds, or nil if it holds none after all: then they are at Path.
	Open(ctx context.Context, k int) (spool.Object, error)
}

// Format reads a format of tables that this package does not implement, such as that of package parquet. It opens the
// file as often as it needs to, and keeps none open. It keeps decompressed data in cache, or uses no more memory than
// cache would.
type Format func(ctx context.Context, open func(context.Context) (spool.Object, error), c Columns, cache *Cache) (Rows,
	error)

// Set reads a data set that is an index and other files, such as those of package chunked.
type Set struct {
	// Is reports whether an index begins with these bytes, which are the whole file or at least 64 of it.
	Is func(head []byte) bool
	// Open reads the data set as a Format reads a table. open opens a file by its path from the index's folder, or the
	// index itself by an empty one.
	Open func(ctx context.Context, open func(ctx context.Context, name string) (spool.Object, error), c Columns,
		cache *Cache) (Rows, error)
}

// ErrLabel is wrapped by the error of a row whose label is neither an integer nor a name.
var ErrLabel = errors.New("a label that is neither an integer nor the name of a class")

// ErrNoPath is wrapped by the error of a row without a path.
var ErrNoPath = errors.New("no path before the label")
