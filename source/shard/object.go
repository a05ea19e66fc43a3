package shard

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
)

// Memory is an object in memory.
type Memory []byte

// ReadAt copies from the memory.
func (m Memory) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, ended(err)
	}
	if off < 0 {
		return 0, failed("read", spool.ErrIO, "at %d, which is before the beginning", off)
	}
	if off > int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(p, m[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Info has the number of bytes only.
func (m Memory) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: int64(len(m))} }

// Bytes returns the memory itself, which callers must not change.
func (m Memory) Bytes() []byte { return m }

// Close does nothing.
func (m Memory) Close() error { return nil }

// Open returns a member of an archive as an object that owns the archive: Close closes it. A member of Memory is
// Memory, too, which shares the archive's bytes, unless the archive ends before the member does.
func Open(archive spool.Object, m Member) spool.Object {
	if data, ok := archive.(Memory); ok && m.Offset+m.Size <= int64(len(data)) {
		return data[m.Offset : m.Offset+m.Size : m.Offset+m.Size]
	}
	return &section{archive, m}
}

// section is a member of an archive.
type section struct {
	archive spool.Object
	m       Member
}

func (s *section) Close() error { return s.archive.Close() }

// Info is that of the archive, with the member's position in its identity.
func (s *section) Info() spool.ObjectInfo {
	info := s.archive.Info()
	info.Name, info.Path, info.Size = s.m.Name, "", s.m.Size
	if info.Identity != "" {
		info.Identity = fmt.Sprintf("%s\x00%d+%d", info.Identity, s.m.Offset, s.m.Size)
	}
	return info
}

// ReadAt of a whole member reads exactly its range: the bytes after it belong to another sample.
func (s *section) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off == 0 && int64(len(p)) >= s.m.Size {
		return s.ReadRange(ctx, p, off)
	}
	return s.read(ctx, p, off, s.archive.ReadAt)
}

// ReadRange is ReadAt with the archive's ReadRange.
func (s *section) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	return s.read(ctx, p, off, func(ctx context.Context, p []byte, off int64) (int, error) {
		return spool.ReadRange(ctx, s.archive, p, off)
	})
}

func (s *section) read(ctx context.Context, p []byte, off int64,
	archive func(context.Context, []byte, int64) (int, error)) (int, error) {
	if off < 0 {
		return 0, failed("read", spool.ErrIO, "at %d, which is before the beginning", off)
	}
	if off > s.m.Size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), s.m.Size-off)]
	n, err := archive(ctx, want, s.m.Offset+off)
	switch {
	case n < len(want) && (err == nil || errors.Is(err, io.EOF)):
		return n, failed("read", spool.ErrTruncated, "the archive ends %d bytes into a member of %d", off+int64(n), s.m.Size)
	case n == len(p):
		return n, nil
	case n == len(want):
		return n, io.EOF
	}
	return n, err
}
