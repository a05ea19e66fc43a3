package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/spoolmedia/spool"
)

// output is a file that the command writes. Its errors name it.
type output struct{ file *os.File }

// create makes a file, or empties the one that is there.
func create(name string) (*output, error) {
	file, err := os.Create(name)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, &spool.Error{Op: "write", File: name, Class: spool.ErrNotAFile, Text: "a directory, where a file is to be written", Err: err}
	case errors.Is(err, syscall.ENOTDIR):
		return nil, &spool.Error{Op: "write", File: name, Class: spool.ErrNotFound, Text: "no such directory", Err: err}
	case err != nil:
		return nil, spool.InFile(err, name)
	}
	return &output{file}, nil
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, spool.InFile(err, o.file.Name())
}

// Close ends the writing and leaves the file as it is.
func (o *output) Close() error { return spool.InFile(o.file.Close(), o.file.Name()) }

// finish ends the writing, of which err is the outcome so far. A file that did not become whole is removed.
func (o *output) finish(err error) error {
	if err != nil {
		o.discard()
		return err
	}
	return o.Close()
}

// closing closes something where an error may be under way already: the first one counts.
func closing(err *error, end func() error) {
	if failed := end(); *err == nil {
		*err = failed
	}
}

// discard closes and removes the file, but not what is no file of ours: a device or a pipe.
func (o *output) discard() {
	o.file.Close()
	if info, err := os.Lstat(o.file.Name()); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(o.file.Name()) // there is an error to be told already
	}
}
