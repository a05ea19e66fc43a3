package spool

import (
	"context"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/spoolmedia/spool/internal/filestate"
)

// File is the path of a local file, as an Object. Decoders open it once, and close it with what they make of it: Open does
// the same. ReadAt opens the file for each read, and Info asks the system.
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

// Info describes the file as it is now: only by its name and path where it cannot be opened.
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

// Open opens the file, which has to be a regular one. Reads of the Object end with their context after 1 MB at most.
//
//	Ownership: the caller owns the Object and MUST Close it.
//	Errors:    ErrNotFound, ErrNotAFile, ErrPermission, ErrIO.
func (f File) Open() (Object, error) {
	name := string(f)
	// Opening a named pipe would wait for a writer, and a terminal could become ours. The flags prevent both, and mean
	// nothing to regular files.
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
	return &openFile{reading: reading{reader: file, info: ObjectInfo{Name: name, Size: stat.Size()}}, file: file, stat: stat}, nil
}

// OpenParts is Open: a local file needs no request. It makes a File an Opener.
func (f File) OpenParts(context.Context, int, int) (Object, error) { return f.Open() }

// openFile is a file that a File has opened.
type openFile struct {
	reading
	file *os.File
	stat fs.FileInfo // when it was opened
	once sync.Once
}

// Fd is the file's descriptor, for those who read it without Go. It is of use until Close.
func (o *openFile) Fd() uintptr { return o.file.Fd() }

// Info is of the file as it was when it was opened: writing to it changes the time of its last change, and so its identity.
func (o *openFile) Info() ObjectInfo {
	o.once.Do(func() { // for those who read it: it takes longer than opening the file
		o.info.Path, o.info.Identity, o.info.Version = o.info.Name, filestate.Identity(o.stat), filestate.Version(o.stat)
	})
	return o.info
}
