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
	return spool.File(name).Open()
}
