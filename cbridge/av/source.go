package av

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spoolmedia/spool"
)

// Source is where an input's bytes come from: exactly one of Path, Data, ReaderAt and Stream.
type Source struct {
	Path string // a regular file of this machine

	Data []byte // lent, and pinned, until Close

	// ReaderAt reads len(p) bytes at off, or to the end, which is io.EOF; it ends when ctx does. Size is the number
	// of bytes there are.
	ReaderAt func(ctx context.Context, p []byte, off int64) (int, error)
	Size     int64

	Stream io.Reader // read once, from front to back

	Name string // as errors name it; empty: Path, which may be empty
}

// validate reports all that is wrong with the source.
func (s *Source) validate() error {
	var problems []error
	require := func(ok bool, what string) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: av: %s", spool.ErrOptions, what))
		}
	}
	kinds := 0
	for _, given := range []bool{s.Path != "", s.Data != nil, s.ReaderAt != nil, s.Stream != nil} {
		if given {
			kinds++
		}
	}
	require(kinds == 1, "not exactly one of Path, Data, ReaderAt and Stream")
	require(s.Size >= 0, "a negative Size")
	return errors.Join(problems...)
}

func (s *Source) name() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Path
}

// readable refuses what must not be opened. A read that hangs in the system (a pipe nobody writes to)
// cannot be interrupted, so that a path has to be that of a regular file.
func (s *Source) readable() error {
	empty := s.Data != nil && len(s.Data) == 0 || s.ReaderAt != nil && s.Size == 0
	if s.Path != "" {
		info, err := os.Stat(s.Path)
		if err != nil {
			return spool.InFile(err, s.Path)
		}
		if !info.Mode().IsRegular() {
			return &spool.Error{Op: opProbe, Class: spool.ErrNotAFile, Text: "not a regular file"}
		}
		empty = info.Size() == 0
	}
	if empty {
		return &spool.Error{Op: opProbe, Class: spool.ErrEmpty, Text: "no bytes"}
	}
	return nil
}
