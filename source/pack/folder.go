package pack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spoolmedia/spool"
)

// folder is a destination: a local folder.
type folder struct {
	dir    string
	shared bool
}

// begin creates the folder, and locks it.
func (f folder) begin(context.Context) (end func(), err error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, spool.FileError("write", f.dir, err)
	}
	dir, err := os.Open(f.dir)
	if err != nil {
		return nil, spool.FileError("write", f.dir, err)
	}
	how := syscall.LOCK_EX
	if f.shared {
		how = syscall.LOCK_SH
	}
	if err := syscall.Flock(int(dir.Fd()), how|syscall.LOCK_NB); err != nil {
		dir.Close()
		return nil, fmt.Errorf("%w: another process packs into %s", spool.ErrOptions, spool.Redacted(f.dir))
	}
	return func() { dir.Close() }, nil
}

func (f folder) names(context.Context) (map[string]bool, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, spool.FileError("read", f.dir, err)
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

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

const unfinished = ".part"

func (f folder) create(_ context.Context, name string) (output, error) {
	path, suffix := f.path(name), unfinished
	if f.shared { // others may write the same file
		suffix = fmt.Sprintf(".%016x%s", rand.Uint64(), unfinished)
	}
	out, err := os.Create(path + suffix) // of an ended process, if it exists
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
