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
func ReadAll(ctx context.Context, o Object, buf []byte, limit int64) ([]byte, error) {
	if err := checkSize(o.Size(), limit); err != nil {
		return nil, err
	}
	buf = slices.Grow(buf[:0], int(o.Size()))
	for {
		n, err := readFull(ctx, o, buf[len(buf):cap(buf)], int64(len(buf)))
		buf = buf[:len(buf)+n]
		if err := checkSize(int64(len(buf)), limit); err != nil {
			return nil, err
		}
		if err == nil { // there may be more
			var next [1]byte
			if n, err = readFull(ctx, o, next[:], int64(len(buf))); n > 0 {
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

// ReadBuffer reads the whole object into a buffer from the pool, which is the caller's to release. It waits
// for the pool until ctx ends. limit is as in ReadAll. An object that is no longer as large as when it was
// opened is ErrIO: somebody is still writing it.
func ReadBuffer(ctx context.Context, o Object, pool *spool.Pool, limit int64) (*spool.Buffer, error) {
	size := o.Size()
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	b, err := pool.GetFor(ctx, int(size), spool.Compressed)
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, o, b.Bytes(), limit); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// fill reads an object that has exactly len(p) bytes.
func fill(ctx context.Context, o Object, p []byte, limit int64) error {
	n, err := readFull(ctx, o, p, 0)
	if n < len(p) {
		if errors.Is(err, io.EOF) {
			return changed(len(p), "fewer")
		}
		return err
	}
	var next [1]byte
	n, err = readFull(ctx, o, next[:], int64(len(p)))
	if n > 0 {
		if err := checkSize(int64(len(p))+1, limit); err != nil {
			return err
		}
		return changed(len(p), "more")
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readFull is ReadAt of an object that may not keep its word: fewer bytes are never without an error.
func readFull(ctx context.Context, o Object, p []byte, off int64) (int, error) {
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

// ReadFull fills p, which has the object's size, from its beginning. An object that is no longer as large
// as when it was opened is ErrIO: somebody is still writing it.
func ReadFull(ctx context.Context, o Object, p []byte) error { return fill(ctx, o, p, 0) }
