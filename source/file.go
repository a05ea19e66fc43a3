package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
)

// file is an open file that reads at any offset.
type file struct {
	f      readerAtCloser
	name   string
	size   int64
	closed atomic.Bool
}

func (o *file) Size() int64 { return o.size }

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
