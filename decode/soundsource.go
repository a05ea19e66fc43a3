package decode

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// soundSource is a file as our own readers of sound see it: how it begins, and a way to the rest.
type soundSource struct {
	head   []byte // the first bytes, which tell what it is
	data   []byte // all of it; or nil, and
	read   func(ctx context.Context, p []byte, off int64) (int, error)
	size   int64         // of the file; -1: unknown, it is
	stream *bufio.Reader // which stands at its beginning, and read goes forward only
	shut   func() error
}

// sourceHead is how much of a file is looked at first.
const sourceHead = 4096

// newSoundSource opens an input; rest is what FFmpeg is to open instead. A file that cannot be opened is an empty source: FFmpeg has the
// words for it.
func newSoundSource(c *call.Call, in Input) (s *soundSource, rest Input, err error) {
	s = &soundSource{shut: func() error { return nil }}
	switch {
	case in.Data != nil:
		s.head, s.data, s.size = in.Data, in.Data, int64(len(in.Data))
	case in.Path != "":
		s.file(in.Path)
	case in.Object != nil:
		s.size = in.Object.Info().Size
		s.head = make([]byte, min(sourceHead, s.size))
		n, _, err := patiently(c.Context(), s.head, func(ctx context.Context, p []byte) (int, error) { return in.Object.ReadAt(ctx, p, 0) })
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, in, ioError(c, err)
		}
		s.head, s.read = s.head[:n], in.Object.ReadAt
	case in.Stream != nil:
		stream := bufio.NewReaderSize(in.Stream, blockBytes)
		_, _, err := patiently(c.Context(), nil, func(context.Context, []byte) (int, error) {
			_, err := stream.Peek(sourceHead)
			return 0, err
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, in, ioError(c, err)
		}
		in.Stream = stream
		s.head, _ = stream.Peek(sourceHead) // has been read
		s.size, s.stream = -1, stream
		s.read = func(_ context.Context, p []byte, _ int64) (int, error) { return io.ReadFull(stream, p) }
	}
	return s, in, nil
}

func (s *soundSource) file(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	stat, err := file.Stat()
	if err != nil || !stat.Mode().IsRegular() {
		file.Close()
		return
	}
	s.head, s.size, s.shut = make([]byte, min(sourceHead, stat.Size())), stat.Size(), file.Close
	n, _ := file.ReadAt(s.head, 0)
	s.head = s.head[:n]
	s.read = func(_ context.Context, p []byte, off int64) (int, error) { return file.ReadAt(p, off) }
}

// ioError gives the error of somebody else's reader a class.
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
