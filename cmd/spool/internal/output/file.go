// Package output is where commands write: files, the console, JSON lines, and text without control characters.
package output

import (
	"errors"
	"os"
	"syscall"

	"github.com/spoolmedia/spool"
)

// File is a file that the command writes. Its errors name it.
type File struct{ file *os.File }

// Create creates a file, or truncates an existing one.
func Create(name string) (*File, error) {
	file, err := os.Create(name)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, &spool.Error{Op: "write", File: name, Class: spool.ErrNotAFile,
			Text: "a directory, where a file is to be written", Err: err}
	case errors.Is(err, syscall.ENOTDIR):
		return nil, &spool.Error{Op: "write", File: name, Class: spool.ErrNotFound, Text: "no such directory", Err: err}
	case err != nil:
		return nil, spool.InFile(err, name)
	}
	return &File{file}, nil
}

// WriteFile writes a whole file, which exists only after success.
func WriteFile(name, content string) error {
	file, err := Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write([]byte(content))
	return file.Finish(err)
}

func (o *File) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, spool.InFile(err, o.file.Name())
}

// Regular returns the file if it is a regular, seekable one, and nil otherwise.
func (o *File) Regular() *os.File {
	if info, err := o.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return o.file
}

// Close ends writing, and keeps the file.
func (o *File) Close() error { return spool.InFile(o.file.Close(), o.file.Name()) }

// Finish ends writing, of which err is the result so far. It removes an incomplete file.
func (o *File) Finish(err error) error {
	if err != nil {
		o.Discard()
		return err
	}
	return o.Close()
}

// Discard closes the file, and removes it unless it is a device or a pipe.
func (o *File) Discard() {
	o.file.Close()
	if info, err := os.Lstat(o.file.Name()); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(o.file.Name()) // the caller already has an error
	}
}
