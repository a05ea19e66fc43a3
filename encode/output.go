package encode

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spoolmedia/spool"
)

// output is the destination of a file: a path, under which the file appears when it is complete, or a writer.
type output struct {
	path      string // final path; empty: to a writer
	temporary string // current path; empty if the file is finished or removed
	writer    io.Writer
	streamed  bool // write the available data after each call, not the whole file at the end
}

// begin creates the temporary file, in the folder of path, so that it can be renamed.
func begin(path string) (*output, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &spool.Error{Op: "write", File: path, Class: spool.ErrNotAFile,
			Text: "a directory, where a file is to be written"}
	}
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	file, err := os.CreateTemp(folder, "."+name+".*")
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, &spool.Error{Op: "write", File: path, Class: spool.ErrNotFound, Text: "no such directory", Err: err}
	}
	if err != nil {
		return nil, spool.InFile(err, path)
	}
	o := &output{path: path, temporary: file.Name()}
	if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
		return nil, spool.InFile(errors.Join(err, o.discard()), path)
	}
	return o, nil
}

// deliver writes data to the writer.
func (o *output) deliver(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	n, err := o.writer.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err != nil && spool.ClassOf(err) == "" {
		err = &spool.Error{Op: "write", Class: spool.ErrIO, Text: err.Error(), Err: err}
	}
	return err
}

// finish renames the file to its path, or writes data to the writer.
func (o *output) finish(data []byte) error {
	if o.writer != nil {
		return o.deliver(data)
	}
	if err := os.Rename(o.temporary, o.path); err != nil {
		return spool.InFile(err, o.path)
	}
	o.temporary = ""
	return nil
}

// discard removes an incomplete file.
func (o *output) discard() error {
	if o.temporary == "" {
		return nil
	}
	err := os.Remove(o.temporary)
	o.temporary = ""
	return err
}
