package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/filestate"
)

// file is an open file that reads at any offset.
type file struct {
	f      readerAtCloser
	name   string
	size   int64
	stat   fs.FileInfo // when it was opened; nil of what is no file of the system
	closed atomic.Bool

	once sync.Once
	info spool.ObjectInfo
}

// Info is of the file as it was when it was opened: writing to it changes the time of its last change, and so its identity.
func (o *file) Info() spool.ObjectInfo {
	o.once.Do(func() {
		o.info = spool.ObjectInfo{Name: o.name, Size: o.size}
		if o.stat != nil {
			o.info.Path, o.info.Identity, o.info.Version = o.name, filestate.Identity(o.stat), filestate.Version(o.stat)
		}
	})
	return o.info
}

func (o *file) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if o.closed.Load() {
		return 0, fail("read", o.name, fs.ErrClosed)
	}
	return readAt(ctx, o.f, o.name, p, off)
}

func (o *file) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	if err := o.f.Close(); err != nil {
		return fail("close", o.name, err)
	}
	return nil
}

type readerAtCloser interface {
	io.ReaderAt
	io.Closer
}

// readAt reads in steps, because a read that has begun cannot be cancelled.
func readAt(ctx context.Context, r io.ReaderAt, name string, p []byte, off int64) (n int, err error) {
	const step = 1 << 20
	for {
		if err := ended(ctx, "read", name); err != nil {
			return n, err
		}
		m, err := r.ReadAt(p[n:min(len(p), n+step)], off+int64(n))
		n += m
		switch {
		case n == len(p):
			return n, nil
		case errors.Is(err, io.EOF):
			return n, io.EOF
		case err != nil:
			return n, fail("read", name, err)
		}
	}
}
