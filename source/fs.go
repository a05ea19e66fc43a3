package source

import (
	"context"
	"io"
	"io/fs"

	"github.com/spoolmedia/spool"
)

// fsFiles is the file system of an fs.FS.
type fsFiles struct{ fsys fs.FS }

func (p fsFiles) stat(name string) (fs.FileInfo, error) { return fs.Stat(p.fsys, name) }

func (p fsFiles) entries(_ context.Context, folder string, entry func(fs.DirEntry)) error {
	list, err := fs.ReadDir(p.fsys, folder)
	for _, e := range list {
		entry(e)
	}
	return err
}

func (p fsFiles) open(_ context.Context, name string) (spool.Object, error) {
	f, err := p.fsys.Open(name)
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
		r = &sequence{fsys: p.fsys, name: name, f: f}
	}
	return spool.NewObject(r, spool.ObjectInfo{Name: name, Size: info.Size()}), nil
}
