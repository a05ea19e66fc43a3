package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/spoolmedia/spool/internal/filestate"
)

// File is the path of a local file, as an Object. Decoders call Open once, and they close the opened file when the
// result that reads it is closed. ReadAt opens the file for each read, and Info for each call.
type File string

// ReadAt opens the file, reads, and closes it.
func (f File) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	o, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer o.Close()
	return o.ReadAt(ctx, p, off)
}

// Info describes the file as it is now. If the file cannot be opened, only Name and Path are set.
func (f File) Info() ObjectInfo {
	o, err := f.Open()
	if err != nil {
		return ObjectInfo{Name: string(f), Path: string(f)}
	}
	defer o.Close()
	return o.Info()
}

// Close does nothing.
func (f File) Close() error { return nil }

// Open opens a regular file. Reads of the returned Object check their context after every MiB.
//
//	Ownership: the caller owns the Object and MUST Close it.
//	Errors:    ErrNotFound, ErrNotAFile, ErrPermission, ErrIO.
func (f File) Open() (Object, error) {
	name := string(f)
	// Without O_NONBLOCK, opening a named pipe would wait for a writer. Without O_NOCTTY, a terminal could become the
	// process's controlling terminal. Regular files ignore both flags.
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, FileError("open", name, err)
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, FileError("open", name, err)
	}
	if !stat.Mode().IsRegular() {
		file.Close()
		return nil, NotRegular("open", name, stat.Mode())
	}
	return &openFile{readerObject: readerObject{reader: file, info: ObjectInfo{Name: name, Size: stat.Size()}}, file: file,
		stat: stat}, nil
}

// OpenParts is Open, because a local file needs no requests. It makes File an Opener.
func (f File) OpenParts(context.Context, int, int) (Object, error) { return f.Open() }

// openFile is the Object that File.Open returns.
type openFile struct {
	readerObject
	file *os.File
	stat fs.FileInfo // at the time of opening
	once sync.Once
}

// ReadAt fails with ErrIO if the file has become shorter since it was opened. The content would end there otherwise.
func (o *openFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := o.readerObject.ReadAt(ctx, p, off)
	if size := o.stat.Size(); errors.Is(err, io.EOF) && off+int64(n) < size {
		return n, &Error{Op: "read", File: o.info.Name, Class: ErrIO,
			Text: fmt.Sprintf("the file was cut short while it was in use, from %d to at most %d bytes", size, off+int64(n))}
	}
	return n, err
}

// Fd returns the file's descriptor, for readers that do not use Go. It is valid until Close.
func (o *openFile) Fd() uintptr { return o.file.Fd() }

// Info describes the file as it was when it was opened. Later writes change the modification time, and so the identity.
func (o *openFile) Info() ObjectInfo {
	o.once.Do(func() { // lazily: this takes longer than opening the file
		o.info.Path, o.info.Identity, o.info.Version = o.info.Name, filestate.Identity(o.stat), filestate.Version(o.stat)
	})
	return o.info
}
