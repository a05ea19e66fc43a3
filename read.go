package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadAll reads the whole object into the memory of buf, or into new memory if that is too small, and returns the
// bytes. limit is the most bytes it reads, 0 for no limit. A larger object is ErrTooLarge before anything is read; an
// object that has grown beyond the limit since it was opened is ErrTooLarge as soon as that shows. An object of unknown
// size, such as a Stream, is ErrOptions. Errors that do not come from the object name no file: see InFile.
func ReadAll(ctx context.Context, o Object, buf []byte, limit int64) ([]byte, error) {
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
		if err == nil { // check for more
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

// ReadFull fills p, whose length is the size that the object had when it was opened. If the size differs now, the error
// is ErrIO: the object is still being written. Errors are as in ReadAll.
func ReadFull(ctx context.Context, o Object, p []byte) error {
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

// ReadBuffer is ReadFull into a buffer from the pool, which the caller releases. It waits for the pool until ctx ends.
// limit is as in ReadAll.
func ReadBuffer(ctx context.Context, o Object, pool *Pool, limit int64) (*Buffer, error) {
	size := o.Info().Size
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	b, err := pool.GetFor(ctx, int(size), Compressed)
	if err != nil {
		return nil, err
	}
	if err := ReadFull(ctx, o, b.Bytes()); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// readAtFull is ReadAt for an object that may break its contract: it returns an error whenever it reads fewer bytes.
func readAtFull(ctx context.Context, o Object, p []byte, off int64) (int, error) {
	n, err := o.ReadAt(ctx, p, off)
	if n < len(p) && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

func changed(size int, now string) error {
	return &Error{Op: "read", Class: ErrIO,
		Text: fmt.Sprintf("changed while it was read: %d bytes when opened, now %s", size, now)}
}

// checkSize refuses an object that cannot be read whole: one larger than the limit, or of unknown size, as a Stream.
func checkSize(size, limit int64) error {
	if size < 0 {
		return fmt.Errorf("%w: an object of %d bytes", ErrOptions, size)
	}
	if limit <= 0 || size <= limit {
		return nil
	}
	return &Error{Op: "read", Class: ErrTooLarge, Text: fmt.Sprintf("more than %d bytes, the limit for a file", limit)}
}
