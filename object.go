package spool

import (
	"context"
	"io"
)

// Object is bytes that can be read in parts: a file, a member of an archive, an object in a store, or memory. Sources
// open objects, and decoders read them. An object is safe for concurrent use.
type Object interface {
	// ReadAt reads len(p) bytes at offset off, as io.ReaderAt does: it reads fewer only with an error, which is io.EOF at
	// the end. It fails with ErrCanceled or ErrTimeout, or with the context's own error, when ctx ends.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Info describes the object. It does no I/O.
	Info() ObjectInfo
	// Close releases the object. Further calls do nothing.
	Close() error
}

// ObjectInfo describes an Object.
type ObjectInfo struct {
	Name string // for people: a path or a URL without secrets (see Shown); empty where it has none
	Path string // the local file with these bytes and no others; empty where there is none
	Size int64  // in bytes, when the object was opened

	// Identity is equal for equal bytes only: it says where the object is, and in which version. It is empty where that is
	// not known, and is not for people, as it may hold secrets of a URL.
	Identity string
	// Version tells one state of the object from another, as an ETag does. A store may tell it with its first answer
	// only; it is empty until then, and where nobody knows it.
	Version string
	// Remote objects are on other machines: each read is a request.
	Remote bool
}

// RangeReader is an Object whose ReadAt may read more than it returns: it fetches blocks, and keeps them for the next reads.
type RangeReader interface {
	Object
	// ReadRange is ReadAt of exactly these bytes: no others are requested, and none are kept.
	ReadRange(ctx context.Context, p []byte, off int64) (int, error)
}

// ReadRange reads exactly len(p) bytes at offset off: by o's own ReadRange if it has one, else by ReadAt.
func ReadRange(ctx context.Context, o Object, p []byte, off int64) (int, error) {
	if r, ok := o.(RangeReader); ok {
		return r.ReadRange(ctx, p, off)
	}
	return o.ReadAt(ctx, p, off)
}

// NewObject makes an Object of a reader that is safe for concurrent use. info.Size says how many bytes it has. A read that
// has begun does not end with its context. Close closes the reader if it is an io.Closer.
func NewObject(r io.ReaderAt, info ObjectInfo) Object { return readerObject{r, info} }

type readerObject struct {
	reader io.ReaderAt
	info   ObjectInfo
}

func (o readerObject) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return o.reader.ReadAt(p, off)
}

func (o readerObject) Info() ObjectInfo { return o.info }

func (o readerObject) Close() error {
	if c, ok := o.reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
