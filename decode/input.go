package decode

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/filestate"
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

// endBytes is how much of both ends of bytes in memory tells them from others of the same length.
const endBytes = 64 << 10

// info describes the input, as far as it is known: all zero of a stream.
func (in Input) info() (spool.ObjectInfo, error) {
	switch {
	case in.Path != "":
		stat, err := os.Stat(in.Path)
		if err != nil {
			return spool.ObjectInfo{}, err
		}
		return spool.ObjectInfo{Path: in.Path, Size: stat.Size(), Identity: filestate.Identity(stat), Version: filestate.Version(stat)}, nil
	case in.Data != nil:
		table := crc32.MakeTable(crc32.Castagnoli)
		digest := crc32.Checksum(in.Data[:min(endBytes, len(in.Data))], table)
		digest = crc32.Update(digest, table, in.Data[max(0, len(in.Data)-endBytes):])
		return spool.ObjectInfo{Size: int64(len(in.Data)), Identity: in.Identity, Version: fmt.Sprintf("crc32c %08x", digest)}, nil
	case in.Object != nil:
		return in.Object.Info(), nil
	}
	return spool.ObjectInfo{}, nil
}

// stateOf says which file, in which state, an index is of.
func stateOf(i spool.ObjectInfo) index.File { return index.File{Size: i.Size, Version: i.Version} }

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
