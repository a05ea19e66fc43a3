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

// stack is an NPY file that is written element by element of its first dimension. How many there are is promised, and
// may turn out otherwise, because decoding can leave frames out: then the header is written anew. Where that is to be
// expected and cannot be done, as with stdout, everything goes to a temporary file first.
type stack struct {
	w     io.Writer
	out   *output.File // of --out; nil where the result goes to stdout
	back  *os.File     // w, where it can be gone back in; else nil
	final io.Writer    // where the temporary file goes in the end; nil where w is none

	desc   spool.Desc
	n      int // elements so far
	header int // bytes
}

// newStack makes the file of that name, - for stdout. unsure says that there may be fewer elements than promised.
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
		err = os.Remove(file.Name()) // nobody else needs it
		s.w, s.back, s.final = file, file, s.w
	}
	if err != nil {
		return nil, s.finish(err)
	}
	return s, nil
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

// mend writes the header of what there is.
func (s *stack) mend() error {
	promised := s.desc.Shape[0]
	s.desc.Shape[0] = s.n
	header := npyHead(s.desc, s.header)
	if s.back == nil || len(header) != s.header {
		return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: fmt.Sprintf("%d frames came where the file promises %d", s.n, promised)}
	}
	_, err := s.back.WriteAt([]byte(header), 0)
	return err
}
