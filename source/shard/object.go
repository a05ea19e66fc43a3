package shard

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
)

// Object is what an archive is read from, and what a member is: a source.Object is one. ReadAt returns fewer bytes only
// with an error, io.EOF at the end.
type Object interface {
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Size() int64
	Close() error
}

// Memory is an Object in memory.
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

// Size is the number of bytes.
func (m Memory) Size() int64 { return int64(len(m)) }

// Bytes is the memory itself: lent, not to be changed.
func (m Memory) Bytes() []byte { return m }

// Close does nothing.
func (m Memory) Close() error { return nil }

// Open gives a member of an archive as an Object, which owns the archive: Close closes it. Of Memory it is Memory again, a
// part of it, unless the archive ends before the member does.
func Open(archive Object, m Member) Object {
	if data, ok := archive.(Memory); ok && m.Offset+m.Size <= int64(len(data)) {
		return data[m.Offset : m.Offset+m.Size : m.Offset+m.Size]
	}
	s := &section{archive, m}
	if d, ok := archive.(distant); ok {
		return &distantSection{s, d}
	}
	return s
}

// distant is an archive on another machine: see source.Distant.
type distant interface {
	Object
	Version() string
	ReadPart(ctx context.Context, p []byte, off int64) (int, error)
}

// distantSection is a member of such an archive.
type distantSection struct {
	*section
	distant distant
}

// Version is the archive's.
func (s *distantSection) Version() string { return s.distant.Version() }

// ReadAt of all of a member is ReadPart: nobody is going to read on.
func (s *distantSection) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off == 0 && int64(len(p)) >= s.m.Size {
		return s.ReadPart(ctx, p, off)
	}
	return s.section.ReadAt(ctx, p, off)
}

// ReadPart is ReadAt by the archive's ReadPart.
func (s *distantSection) ReadPart(ctx context.Context, p []byte, off int64) (int, error) {
	return s.read(ctx, p, off, s.distant.ReadPart)
}

// section is a member of an archive.
type section struct {
	archive Object
	m       Member
}

func (s *section) Size() int64 { return s.m.Size }

func (s *section) Close() error { return s.archive.Close() }

// Identity is the archive's, if it has one, and the member's place in it.
func (s *section) Identity() string {
	if archive, ok := s.archive.(interface{ Identity() string }); ok && archive.Identity() != "" {
		return fmt.Sprintf("%s\x00%d+%d", archive.Identity(), s.m.Offset, s.m.Size)
	}
	return ""
}

func (s *section) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return s.read(ctx, p, off, s.archive.ReadAt)
}

func (s *section) read(ctx context.Context, p []byte, off int64, archive func(context.Context, []byte, int64) (int, error)) (int, error) {
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
