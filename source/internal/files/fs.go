package files

import (
	"context"
	"io"
	"io/fs"

	"github.com/spoolmedia/spool"
)

// FS is the file system of an fs.FS. A file that is no io.ReaderAt is read sequentially.
type FS struct{ FS fs.FS }

// Stat describes a file or folder; the fs.FS resolves links.
func (p FS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(p.FS, name) }

// Entries reads a folder.
func (p FS) Entries(_ context.Context, folder string, entry func(fs.DirEntry)) error {
	list, err := fs.ReadDir(p.FS, folder)
	for _, e := range list {
		entry(e)
	}
	return err
}

// Open opens a regular file.
func (p FS) Open(_ context.Context, name string) (spool.Object, error) {
	f, err := p.FS.Open(name)
	if err != nil {
		return nil, spool.FileError("open", name, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, spool.FileError("open", name, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, spool.NotRegular("open", name, info.Mode())
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		r = &sequence{fsys: p.FS, name: name, f: f}
	}
	return spool.NewObject(r, spool.ObjectInfo{Name: name, Size: info.Size()}), nil
}
