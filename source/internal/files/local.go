package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/spoolmedia/spool"
)

// Local is the file system of the operating system.
type Local struct{}

// Stat describes a file or folder, and follows symbolic links.
func (Local) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Entries reads a folder by pages, so that only the names of a million files are kept.
func (Local) Entries(ctx context.Context, folder string, entry func(fs.DirEntry)) error {
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

// Open opens a regular file.
func (Local) Open(_ context.Context, name string) (spool.Object, error) {
	return spool.File(name).Open()
}
