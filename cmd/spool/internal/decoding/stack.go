package decoding

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
)

// stack is an NPY file that is written element by element along its first dimension. The number of elements is declared
// first, and may turn out smaller, since decoding can leave frames out: then the header is rewritten. If that may
// happen and is impossible, as for stdout, everything is written to a temporary file first.
type stack struct {
	w     io.Writer
	out   *output.File // of --out; nil for stdout
	back  *os.File     // w, if it is seekable; else nil
	final io.Writer    // destination of the temporary file; nil if w is none

	desc   spool.Desc
	n      int // elements so far
	header int // bytes
}

// newStack creates the file of that name, - for stdout. unsure means that there may be fewer elements than declared.
func newStack(name string, stdout io.Writer, unsure bool) (*stack, error) {
	s := &stack{w: stdout}
	if name != "-" {
		var err error
		if s.out, err = output.Create(name); err != nil {
			return nil, err
		}
		s.w, s.back = s.out, s.out.Regular()
	}
	if !unsure || s.back != nil {
		return s, nil
	}
	file, err := os.CreateTemp("", "spool-*.npy")
	if err == nil {
		err = os.Remove(file.Name()) // the open file suffices
		s.w, s.back, s.final = file, file, s.w
	}
	if err != nil {
		return nil, s.finish(err)
	}
	return s, nil
}

// begin writes the header for the expected elements.
func (s *stack) begin(d spool.Desc) error {
	s.desc = d
	s.desc.Shape = slices.Clone(d.Shape)
	header := npyHead(d, 128) // usually leaves room for another number
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

// finish ends writing, of which err is the result so far. It removes an incomplete file.
func (s *stack) finish(err error) error {
	if err == nil && s.n != s.desc.Shape[0] {
		err = s.rewriteHeader()
	}
	if s.final != nil {
		if err == nil {
			_, err = s.back.Seek(0, io.SeekStart)
		}
		if err == nil {
			_, err = io.Copy(s.final, s.back)
		}
		cli.Closing(&err, s.back.Close)
	}
	if s.out == nil {
		return err
	}
	return s.out.Finish(err)
}

// rewriteHeader rewrites the header for the elements that were written.
func (s *stack) rewriteHeader() error {
	promised := s.desc.Shape[0]
	s.desc.Shape[0] = s.n
	header := npyHead(s.desc, s.header)
	if s.back == nil || len(header) != s.header {
		return &spool.Error{Op: "decode", Class: spool.ErrTruncated,
			Text: fmt.Sprintf("decoded %d frames, but the file declares %d", s.n, promised)}
	}
	_, err := s.back.WriteAt([]byte(header), 0)
	return err
}
