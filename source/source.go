package source

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Source is a list of samples that can be opened. Implementations are safe for concurrent use; their
// length and items never change. Item, Open and the like panic outside [0, Len()), as an index does.
//
// A source whose samples lie far away, where to open or to read one takes a round trip of a network, says so by a method
// Remote() bool, as Listing has it: loaders then open and read many at a time.
type Source interface {
	Len() int
	// Item describes sample i. It does no I/O.
	Item(i int) Item
	// Open gives the bytes of sample i. The object is the caller's to close.
	Open(ctx context.Context, i int) (spool.Object, error)
	// Classes are the names of labels 0, 1, 2 and so on; nil without class folders. Lent: not to be changed.
	Classes() []string
}

// Item is what a source knows of a sample without opening it.
type Item struct {
	ID    int64  // position in the source
	Name  string // as the user would write it, but for passwords and signatures in addresses: see spool.Shown
	Label int64  // class, -1 without
	Key   string // what the data set calls it: a manifest's column, or the name of a shard's sample; empty without
}
