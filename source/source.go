package source

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Source is an ordered list of samples that can be opened. Implementations are safe for concurrent use; their length
// and items never change. Item, Open and similar methods panic outside [0, Len()), as indexing does.
//
// A source of remote samples has a method Remote() bool that returns true, as in Listing. Loaders then open and read
// many samples at a time, since each takes a network round trip.
type Source interface {
	Len() int
	// Item describes sample i. It does no I/O.
	Item(i int) Item
	// Open opens sample i. The caller closes the object.
	Open(ctx context.Context, i int) (spool.Object, error)
	// Classes returns the names of labels 0, 1, 2 and so on; nil without class folders. Callers must not change the slice.
	Classes() []string
}

// Item describes a sample that has not been opened.
type Item struct {
	ID    int64  // position in the source
	Name  string // as the user would write it, without passwords and signatures of URLs: see spool.Redacted
	Label int64  // class, -1 without
	Key   string // the sample's name in the data set: a manifest's column, or the name of a shard's sample; empty without
}
