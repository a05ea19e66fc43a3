package pack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spoolmedia/spool"
)

// folder is a destination: a local folder.
type folder string

// begin creates the folder, and locks it.
func (f folder) begin(context.Context) (end func(), err error) {
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return nil, spool.FileError("write", string(f), err)
	}
	dir, err := os.Open(string(f))
	if err != nil {
		return nil, spool.FileError("write", string(f), err)
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		dir.Close()
		return nil, fmt.Errorf("%w: another process packs into %s", spool.ErrOptions, spool.Redacted(string(f)))
	}
	return func() { dir.Close() }, nil
}

func (f folder) names(context.Context) (map[string]bool, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, spool.FileError("read", string(f), err)
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names, nil
}

func (f folder) open(_ context.Context, name string) (spool.Object, error) {
	return spool.File(f.path(name)).Open()
}

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

const unfinished = ".part"

func (f folder) create(_ context.Context, name string) (output, error) {
	path := f.path(name)
	out, err := os.Create(path + unfinished) // of an ended process, if it exists
	if err != nil {
		return nil, spool.FileError("write", path, err)
	}
	return &file{out, path}, nil
}

// file is a local file while it is written.
type file struct {
	*os.File
	path string
}

// finish gives the file its name, when its bytes are on the disk.
func (f *file) finish() error {
	err := f.Sync()
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(f.path))
	}
	if err != nil {
		f.discard()
		return spool.FileError("write", f.path, err)
	}
	return nil
}

// syncFolder writes the names in a folder to the disk.
func syncFolder(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// discard removes an unfinished file.
func (f *file) discard() {
	f.Close()
	_ = os.Remove(f.Name()) // the caller already has an error
}
