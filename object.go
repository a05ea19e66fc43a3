package spool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
)

// Object is bytes that can be read in parts: a file, a member of an archive, an object in a store, or memory. Sources
// open objects, and decoders read them: a [File] by its path, [Bytes] in memory, what a source has opened, and what
// [NewObject] makes of a reader. A [Stream] is one that has no parts. An object is safe for concurrent use.
type Object interface {
	// ReadAt reads len(p) bytes at offset off, as io.ReaderAt does: it reads fewer only with an error, which is io.EOF at
	// the end. It fails with ErrCanceled or ErrTimeout, or with the context's own error, when ctx ends.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Info describes the object. It sends no request.
	Info() ObjectInfo
	// Close releases the object. Further calls do nothing.
	Close() error
}

// ObjectInfo describes an Object.
type ObjectInfo struct {
	Name string // for people: a path or a URL without secrets (see Shown); empty where it has none
	Path string // the local file with these bytes and no others; empty where there is none
	Size int64  // in bytes, when the object was opened; -1 of a Stream, and of a URL that is not open

	// Identity is equal for equal bytes only: it says where the object is, and in which version. It is empty where that is
	// not known, and is not for people, as it may hold secrets of a URL.
	Identity string
	// Version tells one state of the object from another, as an ETag does. A store may tell it with its first answer
	// only; it is empty until then, and where nobody knows it.
	Version string
	// Remote objects are on other machines: each read is a request.
	Remote bool
}

// Opener is an Object that is not open yet, such as a File or a URL. Decoders open it, read what that gives, and close it.
type Opener interface {
	Object
	// OpenParts opens the object. So many bytes of its beginning and of its end are read first: they may come with the
	// first answer.
	OpenParts(ctx context.Context, head, tail int) (Object, error)
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

// NewObject makes an Object of a reader that is safe for concurrent use. info.Size says how many bytes it has. Reads end with
// their context after 1 MB at most, and errors name the object. Close closes the reader if it is an io.Closer.
func NewObject(r io.ReaderAt, info ObjectInfo) Object { return &reading{reader: r, info: info} }

// reading is an Object of a reader.
type reading struct {
	reader io.ReaderAt
	info   ObjectInfo
	closed atomic.Bool
}

func (r *reading) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	const step = 1 << 20 // a read that has begun cannot be cancelled
	for {
		if r.closed.Load() {
			return n, FileError("read", r.info.Name, fs.ErrClosed)
		}
		if err := ctx.Err(); err != nil {
			return n, FileError("read", r.info.Name, err)
		}
		m, err := r.reader.ReadAt(p[n:min(len(p), n+step)], off+int64(n))
		n += m
		switch {
		case n == len(p):
			return n, nil
		case errors.Is(err, io.EOF):
			return n, io.EOF
		case err != nil:
			return n, FileError("read", r.info.Name, err)
		}
	}
}

func (r *reading) Info() ObjectInfo { return r.info }

func (r *reading) Close() error {
	c, ok := r.reader.(io.Closer)
	if r.closed.Swap(true) || !ok {
		return nil
	}
	if err := c.Close(); err != nil {
		return FileError("close", r.info.Name, err)
	}
	return nil
}
