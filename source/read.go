package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spoolmedia/spool"
)

// ReadAll reads the whole object into the memory of buf, or into new memory where that is too small, and
// returns the bytes. limit is the most it takes, 0 for no limit: a larger object is ErrTooLarge before
// anything is read, one that has grown beyond it since it was opened as soon as that shows. Errors that are
// not the object's own name no file: see spool.InFile.
func ReadAll(ctx context.Context, o spool.Object, buf []byte, limit int64) ([]byte, error) {
	size := o.Info().Size
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	buf = slices.Grow(buf[:0], int(size))
	for {
		n, err := readAtFull(ctx, o, buf[len(buf):cap(buf)], int64(len(buf)))
		buf = buf[:len(buf)+n]
		if err := checkSize(int64(len(buf)), limit); err != nil {
			return nil, err
		}
		if err == nil { // there may be more
			var next [1]byte
			if n, err = readAtFull(ctx, o, next[:], int64(len(buf))); n > 0 {
				buf = append(buf, next[0])
				continue
			}
		}
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		return nil, err
	}
}

// ReadFull fills p, which is as long as the object was when it was opened. An object of another length by now
// is ErrIO: somebody is still writing it. Errors are as in ReadAll.
func ReadFull(ctx context.Context, o spool.Object, p []byte) error {
	n, err := readAtFull(ctx, o, p, 0)
	if n < len(p) {
		if errors.Is(err, io.EOF) {
			return changed(len(p), "fewer")
		}
		return err
	}
	var next [1]byte
	if n, err = readAtFull(ctx, o, next[:], int64(len(p))); n > 0 {
		return changed(len(p), "more")
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// ReadBuffer is ReadFull into a buffer from the pool, which is the caller's to release. It waits for the pool
// until ctx ends. limit is as in ReadAll.
func ReadBuffer(ctx context.Context, o spool.Object, pool *spool.Pool, limit int64) (*spool.Buffer, error) {
	size := o.Info().Size
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	b, err := pool.GetFor(ctx, int(size), spool.Compressed)
	if err != nil {
		return nil, err
	}
	if err := ReadFull(ctx, o, b.Bytes()); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// readAtFull is ReadAt of an object that may not keep its word: fewer bytes are never without an error.
func readAtFull(ctx context.Context, o spool.Object, p []byte, off int64) (int, error) {
	n, err := o.ReadAt(ctx, p, off)
	if n < len(p) && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

func changed(size int, now string) error {
	return &spool.Error{Op: "read", Class: spool.ErrIO,
		Text: fmt.Sprintf("changed while it was read: %d bytes when opened, now %s", size, now)}
}

func checkSize(size, limit int64) error {
	if limit <= 0 || size <= limit {
		return nil
	}
	return &spool.Error{Op: "read", Class: spool.ErrTooLarge, Text: fmt.Sprintf("more than %d bytes, the limit for a file", limit)}
}
