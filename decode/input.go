package decode

import (
	"cmp"
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
	Object spool.Object // read in parts, and never closed. Of a remote one only what is needed is read, side by side
	Stream io.Reader    // read once, front to back, such as a pipe: frames come in their order and no other

	// Identity tells Data from all other bytes, as spool.ObjectInfo's does: a video with it is scanned once by a decoder.
	Identity string

	// Name is what errors call the input. By default it is Path, or the Object's name.
	Name string
}

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
	if in.Object != nil && in.Object.Info().Size < 0 {
		problems = append(problems, fmt.Errorf("%w: an object of %d bytes", spool.ErrOptions, in.Object.Info().Size))
	}
	return errors.Join(problems...)
}

func (in Input) name() string {
	if in.Name == "" && in.Object != nil {
		return in.Object.Info().Name
	}
	return cmp.Or(in.Name, in.Path)
}

// path is the local file with the input's bytes; empty where there is none.
func (in Input) path() string {
	if in.Object != nil {
		return in.Object.Info().Path
	}
	return in.Path
}

// source is the input as cbridge/av takes it.
func (in Input) source() av.Source {
	s := av.Source{Path: in.Path, Data: in.Data, Stream: in.Stream, Name: in.Name}
	if in.Object != nil {
		s.ReaderAt, s.Size = in.Object.ReadAt, in.Object.Info().Size
		if far, ok := in.Object.(*distant); ok {
			s.ReaderAt = far.Some // and no more than there is already
		}
	}
	return s
}
