package shard

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/spoolmedia/spool"
)

// Compression is the compression of a whole archive.
type Compression uint8

const (
	None Compression = iota
	Gzip
	Zstd
)

// Compressed detects the compression by an archive's first bytes.
func Compressed(ctx context.Context, archive spool.Object) (Compression, error) {
	var magic [4]byte
	n, err := archive.ReadAt(ctx, magic[:], 0)
	switch {
	case n >= 3 && bytes.Equal(magic[:3], []byte{0x1f, 0x8b, 8}):
		return Gzip, nil
	case n == 4 && (bytes.Equal(magic[:], []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})): // a skippable frame may come first
		return Zstd, nil
	case n == 4, errors.Is(err, io.EOF):
		return None, nil
	}
	return None, err
}

// Decompress returns the whole contents of an archive, verified by the checksums in it. It takes as much memory as
// there is data, and a few MiB. More than limit bytes are ErrTooLarge, as soon as the limit is passed. It does not
// close the archive.
func Decompress(ctx context.Context, archive spool.Object, c Compression, limit int64) (Memory, error) {
	return decompress(ctx, archive, c, limit, spool.Mmap{})
}

func decompress(ctx context.Context, archive spool.Object, c Compression, limit int64,
	memory spool.Allocator) (Memory, error) {
	in := &stream{ctx: ctx, archive: archive}
	var out io.Reader
	switch c {
	case Gzip:
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, in.fail(err)
		}
		out = r
	case Zstd:
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, in.fail(err)
		}
		defer r.Close()
		out = r
	default:
		out = in
	}
	data, err := readAll(out, limit, memory)
	if err != nil {
		return nil, in.fail(err)
	}
	return data, nil
}

// maxWindow is the largest zstd window that is accepted: that of the highest level without --ultra --long.
const maxWindow = 128 << 20

// stream reads an object sequentially.
type stream struct {
	ctx     context.Context
	archive spool.Object
	at      int64
	failed  error
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.archive.ReadAt(s.ctx, p, s.at)
	s.at += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// fail returns the error of reading, if there was one, and otherwise that of damage.
func (s *stream) fail(err error) error {
	switch {
	case s.failed != nil:
		return s.failed
	case spool.ClassOf(err) != "", errors.Is(err, spool.ErrOutOfMemory):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return failed("read", spool.ErrTruncated, "the compressed archive ends in the middle")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return failed("read", spool.ErrTooLarge, "zstd asks for a window of more than %d bytes", maxWindow)
	}
	return &spool.Error{Op: "read", Class: spool.ErrCorrupt, Text: "the archive does not decompress: " + err.Error(),
		Err: err}
}
