package source

import "context"

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
	Open(ctx context.Context, i int) (Object, error)
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

// Object is the bytes of one sample.
type Object interface {
	// ReadAt reads len(p) bytes at off, like io.ReaderAt: when it returns fewer, the error says why, and at
	// the end that is io.EOF. It fails with ErrCanceled or ErrTimeout when ctx has ended.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Size is the number of bytes when the object was opened.
	Size() int64
	// Close releases the object. Further calls do nothing.
	Close() error
}

// Distant is an Object on another machine, of which each read is a request: who needs parts of it does well to ask for these
// side by side.
type Distant interface {
	Object
	// Version tells one state of the object from another, its ETag say; empty where that is not known.
	Version() string
	// ReadPart is ReadAt of these very bytes: nothing around them is asked for, or kept.
	ReadPart(ctx context.Context, p []byte, off int64) (int, error)
}
