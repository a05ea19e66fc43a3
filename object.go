package spool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
)

// Object is bytes that can be read at any offset: a file, a member of a shard, an object in a store, or memory. Sources
// open objects, and decoders read them. A [File] is an object by its path, [Bytes] is an object in memory, and
// [NewObject] makes one from a reader. A [Stream] is an Object that can only be read sequentially. Objects are safe for
// concurrent use.
type Object interface {
	// ReadAt reads len(p) bytes at offset off, as io.ReaderAt does. It reads fewer only with an error, which is io.EOF at
	// the end. If ctx ends, it fails with ErrCanceled or ErrTimeout, or with the context's own error.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Info describes the object. It sends no request.
	Info() ObjectInfo
	// Close releases the object. Further calls do nothing.
	Close() error
}

// ObjectInfo describes an Object.
type ObjectInfo struct {
	Name string // for display: a path, or a URL without secrets (see Redacted); may be empty
	Path string // the local file with exactly these bytes; empty if there is none
	Size int64  // in bytes, when the object was opened; -1 for a Stream and for a URL that is not open

	// Identity is equal only for equal bytes: it holds the object's path or URL, and its version. It is empty if unknown.
	// Do not display it: it may hold a URL's secrets.
	Identity string
	// Version differs between two states of the object, like an ETag. It is empty if unknown. A store may report it only
	// with its first response: it is empty until then.
	Version string
	// Remote objects are on other machines: each read is a request.
	Remote bool
}

// Opener is an Object that is not open yet, such as a File or a URL. Decoders open it, read the result, and close it.
type Opener interface {
	Object
	// OpenParts opens an object whose first head bytes and last tail bytes are read first. A store may return them with
	// the response to the first request.
	OpenParts(ctx context.Context, head, tail int) (Object, error)
}

// RangeReader is an Object whose ReadAt may read more than it returns: it requests blocks and caches them for later
// reads.
type RangeReader interface {
	Object
	// ReadRange is ReadAt of exactly these bytes: no others are requested, and none are cached.
	ReadRange(ctx context.Context, p []byte, off int64) (int, error)
}

// ReadRange reads exactly len(p) bytes at offset off. It calls o's ReadRange if o is a RangeReader, and ReadAt
// otherwise.
func ReadRange(ctx context.Context, o Object, p []byte, off int64) (int, error) {
	if r, ok := o.(RangeReader); ok {
		return r.ReadRange(ctx, p, off)
	}
	return o.ReadAt(ctx, p, off)
}

// NewObject returns an Object that reads from r, which must be safe for concurrent use. info.Size is the number of
// bytes. Reads check their context after every MiB, and errors name the object. Close closes r if it is an io.Closer.
func NewObject(r io.ReaderAt, info ObjectInfo) Object { return &readerObject{reader: r, info: info} }

// readerObject is an Object that reads from an io.ReaderAt.
type readerObject struct {
	reader io.ReaderAt
	info   ObjectInfo
	closed atomic.Bool
}

func (r *readerObject) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	const step = 1 << 20 // a single read cannot be canceled
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

func (r *readerObject) Info() ObjectInfo { return r.info }

func (r *readerObject) Close() error {
	c, ok := r.reader.(io.Closer)
	if r.closed.Swap(true) || !ok {
		return nil
	}
	if err := c.Close(); err != nil {
		return FileError("close", r.info.Name, err)
	}
	return nil
}
