package lerobot

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/internal/files"
)

// folder is the data set's folder, or the URL where its objects begin.
type folder struct {
	root   string
	remote source.Remote // nil: local
}

func newFolder(root string, o Options) folder {
	f := folder{root: strings.TrimRight(root, "/")}
	if o.Remote != nil && o.Remote.Known(root) {
		f.remote = o.Remote
	}
	return f
}

// path returns the path or URL of a file.
func (in folder) path(name string) string {
	if in.remote != nil {
		return in.root + "/" + name
	}
	return filepath.Join(in.root, filepath.FromSlash(name))
}

// name returns the path of a file, for messages.
func (in folder) name(file string) string { return spool.Redacted(in.path(file)) }

// open opens a file.
func (in folder) open(ctx context.Context, name string) (spool.Object, error) {
	if in.remote != nil {
		return in.remote.Open(ctx, source.Entry{URL: in.path(name)})
	}
	return files.Local{}.Open(ctx, in.path(name))
}

// read reads a whole file of a limited size.
func (in folder) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	o, err := in.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	data, err := spool.ReadAll(ctx, o, nil, limit)
	return data, in.inFile(name, err)
}

// tables returns the Parquet files in the folders of a folder, sorted.
func (in folder) tables(ctx context.Context, name string) (found []string, err error) {
	add := func(name string) {
		if strings.HasSuffix(name, ".parquet") {
			found = append(found, name)
		}
	}
	if in.remote != nil {
		for e, err := range in.remote.List(ctx, in.path(name)+"/") {
			if err != nil {
				return nil, err
			}
			add(strings.TrimPrefix(e.URL, in.root+"/"))
		}
	} else {
		var chunks []string
		each := func(folder string, entry func(fs.DirEntry)) {
			if e := (files.Local{}).Entries(ctx, in.path(folder), entry); e != nil && err == nil {
				err = spool.FileError("open", in.path(folder), e)
			}
		}
		each(name, func(e fs.DirEntry) { chunks = append(chunks, name+"/"+e.Name()) })
		for _, chunk := range chunks {
			if info, err := (files.Local{}).Stat(in.path(chunk)); err == nil && info.IsDir() {
				each(chunk, func(e fs.DirEntry) { add(chunk + "/" + e.Name()) })
			}
		}
	}
	slices.Sort(found)
	return found, err
}
