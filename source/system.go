package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/spoolmedia/spool"
)

// system is the place of the operating system's files.
type system struct{}

func (system) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// entries reads a folder by pages: of a folder with a million files only names are kept.
func (system) entries(ctx context.Context, folder string, entry func(fs.DirEntry)) error {
	const page = 1024
	dir, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		list, err := dir.ReadDir(page)
		for _, e := range list {
			entry(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (system) open(_ context.Context, name string) (spool.Object, error) {
	f, info, err := openQuickly(name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, notAFile("open", name, info.Mode())
	}
	return &file{f: f, name: name, size: info.Size(), stat: info}, nil
}

// openQuickly opens a file for reading. Opening a named pipe would wait for a writer, a terminal could
// become ours: the flags prevent both and mean nothing to regular files.
func openQuickly(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
