package decode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
)

// Input is where the bytes of a video or sound come from: exactly one of Path, Data, Object and Stream.
// Whatever it is, it is lent until the handle made of it is closed.
type Input struct {
	Path   string // a regular file, which FFmpeg reads by itself
	Data   []byte
	Object Object    // something that lies elsewhere and is read in parts, such as a source.Object
	Stream io.Reader // read once, front to back, such as a pipe: frames come in their order and no other

	// Name is what errors call the input; Path where it is empty.
	Name string
	// Version tells one state of an Object from another, as the ETag of an object store does, so that a saved index
	// is not taken for that of other bytes. The time of a file's last change serves a Path, and a Distant object knows its own.
	Version string
}

// Object is a run of bytes that is read in parts. A source.Object is one, and so is what [AsObject] makes.
type Object interface {
	// ReadAt reads len(p) bytes at off, like io.ReaderAt. It should end with ctx; one that does not is abandoned.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Size is the number of bytes.
	Size() int64
}

// AsObject makes an Object of a reader, of which the first size bytes are read. A read under way is abandoned when
// the context ends.
func AsObject(r io.ReaderAt, size int64) Object { return readerAt{r, size} }

type readerAt struct {
	r    io.ReaderAt
	size int64
}

func (o readerAt) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return o.r.ReadAt(p, off)
}
func (o readerAt) Size() int64 { return o.size }

// Validate reports all that is wrong with the input, as ErrOptions.
func (in Input) Validate() error {
	var problems []error
	sources := 0
	for _, given := range [...]bool{in.Path != "", in.Data != nil, in.Object != nil, in.Stream != nil} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		problems = append(problems, fmt.Errorf("%w: an input has one source, not %d", spool.ErrOptions, sources))
	}
	if in.Object != nil && in.Object.Size() < 0 {
		problems = append(problems, fmt.Errorf("%w: an object of %d bytes", spool.ErrOptions, in.Object.Size()))
	}
	if in.Version != "" && in.Object == nil {
		problems = append(problems, fmt.Errorf("%w: only an object has a version", spool.ErrOptions))
	}
	return errors.Join(problems...)
}

func (in Input) name() string { return cmp.Or(in.Name, in.Path) }

// source is the input as cbridge/av takes it.
func (in Input) source() av.Source {
	s := av.Source{Path: in.Path, Data: in.Data, Stream: in.Stream, Name: in.Name}
	if in.Object != nil {
		s.ReaderAt, s.Size = in.Object.ReadAt, in.Object.Size()
		if far, ok := in.Object.(*distant); ok {
			s.ReaderAt = far.Some // and no more than there is already
		}
	}
	return s
}
