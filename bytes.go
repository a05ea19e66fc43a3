package spool

import (
	"context"
	"io"
)

// Bytes are an Object in memory. Decoders read them where they lie.
type Bytes struct {
	Data     []byte // lent for as long as the Object is in use, and not to be changed meanwhile
	Name     string // for people; may be empty
	Identity string // as ObjectInfo's; may be empty
}

// ReadAt copies some of the bytes.
func (b Bytes) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, &Error{Op: "read", File: b.Name, Class: ErrIO, Text: "before the beginning"}
	}
	n := copy(p, b.Data[min(off, int64(len(b.Data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Info describes the bytes. They have no version.
func (b Bytes) Info() ObjectInfo {
	return ObjectInfo{Name: b.Name, Size: int64(len(b.Data)), Identity: b.Identity}
}

// Close does nothing.
func (b Bytes) Close() error { return nil }
