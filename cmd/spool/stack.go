package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spoolmedia/spool"
)

// stack is an NPY file that is written element by element of its first dimension. How many there are is promised, and
// may turn out otherwise: decoding can leave frames out. The header is written anew then, where that can be done.
type stack struct {
	w      io.Writer
	out    *output // of --out; nil where w is stdout
	desc   spool.Desc
	n      int // elements so far
	header int // bytes
}

// newStack makes the file of that name, - for stdout.
func newStack(name string, stdout io.Writer) (*stack, error) {
	if name == "-" {
		return &stack{w: stdout}, nil
	}
	out, err := create(name)
	if err != nil {
		return nil, err
	}
	return &stack{w: out, out: out}, nil
}

// begin writes the header of what there will be.
func (s *stack) begin(d spool.Desc) error {
	s.desc = d
	s.desc.Shape = slices.Clone(d.Shape)
	header := npyHead(d, 128) // mostly with room for another number
	s.header = len(header)
	_, err := io.WriteString(s.w, header)
	return err
}

// add writes n elements.
func (s *stack) add(n int, data []byte) error {
	s.n += n
	_, err := s.w.Write(data)
	return err
}

// finish ends the writing, of which err is the outcome so far. A file that did not become whole is removed.
func (s *stack) finish(err error) error {
	if err == nil && s.n != s.desc.Shape[0] {
		err = s.mend()
	}
	if s.out == nil {
		return err
	}
	return s.out.finish(err)
}

// mend writes the header of what there is.
func (s *stack) mend() error {
	promised := s.desc.Shape[0]
	s.desc.Shape[0] = s.n
	header := npyHead(s.desc, s.header)
	if s.out != nil && len(header) == s.header {
		if info, err := s.out.file.Stat(); err == nil && info.Mode().IsRegular() {
			_, err := s.out.file.WriteAt([]byte(header), 0)
			return spool.InFile(err, s.out.file.Name())
		}
	}
	return &spool.Error{Op: "decode", Class: spool.ErrIO, Text: fmt.Sprintf(
		"%d frames where %d were promised, and the output cannot be gone back in: decode to a file", s.n, promised)}
}
