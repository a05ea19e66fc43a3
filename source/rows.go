package source

import (
	"context"
	"iter"
	"strconv"

	"github.com/spoolmedia/spool"
)

// Rows are the rows of a manifest, safe for concurrent use.
type Rows interface {
	Len() int
	// Row gives what row k says, without I/O.
	Row(k int) (Row, error)
	// Labels are those of all rows that can be read, in order.
	Labels() iter.Seq[string]
}

// Named are Rows that know the names of all columns, in lower case, so that those that are not used can be told. Of objects
// they are those of the first rows.
type Named interface {
	Rows
	Names() []string
}

// Row is what a row of a manifest says of a sample, as it is written there.
type Row struct {
	Path  string // of its file
	Label string // an integer from 0 up, -1 for none, or the name of a class; empty for none
	Key   string // what the data set calls it
	Held  bool   // its bytes are in the manifest itself: see Media. Path is empty, or where they came from

	// Size and Version are what a store said of the object at Path, both or neither: see Entry.
	Size    int64
	Version string
}

// stored takes what a row says of an object. Alone either may mean something else, as "size" often does.
func (r *Row) stored(size, version string) {
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n > 0 && version != "" {
		r.Size, r.Version = n, version
	}
}

// Media are Rows that hold the bytes of samples, and not only their paths.
type Media interface {
	Rows
	// Open gives the bytes that row k holds. They are nil where it holds none after all: Path has them then.
	Open(ctx context.Context, k int) (spool.Object, error)
	// Sizes is how many rows there are in each part of the file that is best read as a whole.
	Sizes() []int
}

// Columns say what a Format looks for: of each kind of column, the first name that is there, in any case.
type Columns struct{ Path, Label, Key, Size, Version []string }

// Format reads the rows of a kind of manifest that this package leaves to others, as package parquet does. It opens the
// file as often as it needs to, and holds none open. What it decompresses it keeps in u, or takes no more memory than u
// would.
type Format func(ctx context.Context, open func(context.Context) (spool.Object, error), c Columns, u *Unpacked) (Rows, error)
