package spool

import (
	"context"
	"io"
)

// Bytes is an Object in memory. Decoders read Data in place, without a copy.
type Bytes struct {
	Data     []byte // lent while the Object is in use; must not change meanwhile
	Name     string // for display; may be empty
	Identity string // as in ObjectInfo; may be empty
}

// ReadAt copies bytes from offset off. A negative offset is ErrIO.
func (b Bytes) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, &Error{Op: "read", File: b.Name, Class: ErrIO, Text: "negative offset"}
	}
	n := copy(p, b.Data[min(off, int64(len(b.Data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Info describes the bytes. Its Version is empty.
func (b Bytes) Info() ObjectInfo {
	return ObjectInfo{Name: b.Name, Size: int64(len(b.Data)), Identity: b.Identity}
}

// Close does nothing.
func (b Bytes) Close() error { return nil }
