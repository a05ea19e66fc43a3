package audio

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/contents"
)

// source is a file for our own audio readers: its head, and access to the rest.
type source struct {
	head   []byte // the first bytes, which identify the format
	data   []byte // the whole file in memory; nil: use read
	read   func(ctx context.Context, p []byte, off int64) (int, error)
	size   int64         // of the file; -1: unknown, for a stream
	stream *bufio.Reader // at its beginning; read then only goes forward
}

// sourceHead is the length of a file's head.
const sourceHead = 4096

// newSource reads the head of an input. rest is the input for FFmpeg, which includes the head.
func newSource(c *call.Call, in *container.Input) (s *source, rest *container.Input, err error) {
	switch form := in.Object.(type) {
	case spool.Bytes:
		return &source{head: form.Data, data: form.Data, size: in.Info.Size}, in, nil
	case spool.Stream:
		return newStreamSource(c, form)
	}
	s = &source{size: in.Info.Size, head: make([]byte, min(sourceHead, in.Info.Size)), read: in.Object.ReadAt}
	n, _, err := contents.ReadCancellable(c.Context(), s.head,
		func(ctx context.Context, p []byte) (int, error) { return s.read(ctx, p, 0) })
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, in, ioError(c, err)
	}
	s.head = s.head[:n]
	return s, in, nil
}

func newStreamSource(c *call.Call, from spool.Stream) (s *source, rest *container.Input, err error) {
	stream := bufio.NewReaderSize(from.Reader, blockBytes)
	_, _, err = contents.ReadCancellable(c.Context(), nil, func(context.Context, []byte) (int, error) {
		_, err := stream.Peek(sourceHead)
		return 0, err
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, ioError(c, err)
	}
	s = &source{size: -1, stream: stream}
	s.head, _ = stream.Peek(sourceHead) // is already buffered
	s.read = func(_ context.Context, p []byte, _ int64) (int, error) { return io.ReadFull(stream, p) }
	from.Reader = stream
	return s, &container.Input{Object: from, Info: from.Info()}, nil
}

// ioError gives the error of a caller's reader a class.
func ioError(c *call.Call, err error) error {
	class := spool.ClassOf(err)
	if class == "" {
		class = spool.ErrIO
	}
	if ended := c.Context().Err(); ended != nil {
		class = spool.ClassOf(ended)
	}
	return &spool.Error{Op: "decode", Class: class, Err: err}
}
