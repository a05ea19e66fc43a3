package pack

import (
	"context"
	"io"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// destination is where shards are: a folder, or objects of a store. Its files appear as a whole, or not at all.
type destination interface {
	// begin takes it for this process, and discards what ended processes have left; or for this one and others, if it is
	// shared. The caller calls end.
	begin(ctx context.Context) (end func(), err error)
	// names returns the names of the files that are there, and of unfinished ones.
	names(ctx context.Context) (map[string]bool, error)
	open(ctx context.Context, name string) (spool.Object, error)
	create(ctx context.Context, name string) (output, error)
	// path returns a file's path or URL, for people.
	path(name string) string
}

// output is a file while it is written.
type output interface {
	io.Writer
	// finish gives the file its name. The error is fs.ErrExist if the destination keeps a file that is there.
	finish() error
	discard()
}

// destinationOf returns a folder, or objects of the store if it knows the name as a URL. Other processes may write to
// it if it is shared.
func destinationOf(name string, store source.Store, shared bool) destination {
	if store != nil && store.Known(name) {
		return objects{store, strings.TrimRight(name, "/") + "/", shared}
	}
	return folder{name, shared}
}

// load reads a small file.
func load(ctx context.Context, d destination, name string) ([]byte, error) {
	o, err := d.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return spool.ReadAll(ctx, o, nil, 1<<30)
}

// save writes a small file. The error is fs.ErrExist if the destination keeps an earlier file of that name.
func save(ctx context.Context, d destination, name string, text []byte) error {
	out, err := d.create(ctx, name)
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		out.discard()
		return spool.FileError("write", d.path(name), err)
	}
	return out.finish()
}
