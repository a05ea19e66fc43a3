package source

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// feed returns the feed of an argument that is listed while the stream is read, or nil if it is listed at once.
func (l *lister) feed(name string) feed {
	switch {
	case strings.HasPrefix(name, "@"):
		return nil
	case l.opts.isRemote(name):
		if !hasWildcards(key(name)) && !strings.HasSuffix(name, "/") &&
			(IsShard(name) || l.isManifest(name) || l.wanted[extension(name)]) {
			return nil // an object, as in Open
		}
		return l.prefixed(name)
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil
	}
	if tables, err := l.savedTables(files.Local{}, trimSlashes(name)); tables != nil || err != nil {
		return nil
	}
	return l.folderFeed(trimSlashes(name))
}

// listed lists names at once, as Open does, but without labels of classes: these number the names of all arguments.
func (l *lister) listed(names []string) (*Listing, error) {
	l, err := newLister(l.ctx, l.opts)
	if err != nil {
		return nil, err
	}
	l.unnamed = true
	for _, name := range names {
		if err := l.argument(name); err != nil {
			return nil, err
		}
	}
	return l.listing()
}

// feed passes the items of a listing to give.
func (l *Listing) feed(_ context.Context, give func(found) bool) error {
	for i := range l.n {
		if !give(found{l.Item(i), func(ctx context.Context) (spool.Object, error) { return l.Open(ctx, i) },
			func(ctx context.Context) (*Segment, error) { return l.Segment(ctx, i) }}) {
			break
		}
	}
	return nil
}

// folderFeed returns the feed of the files below a folder. It reads one folder at a time.
func (l *lister) folderFeed(root string) feed {
	return func(ctx context.Context, give func(found) bool) error {
		l, err := newLister(ctx, l.opts) // a new one for each run of the feed
		if err != nil {
			return err
		}
		w := &walk{lister: l, fsys: l.opts.fileSystem(), seen: Skipped{Extensions: map[string]int{}}}
		n := 0
		more, err := w.give(root, nil, func(f found) bool {
			n++
			return give(f)
		})
		if err == nil && more && n == 0 {
			err = nothing(root, w.opts, w.seen)
		}
		return err
	}
}

// give passes the files below a folder to its argument give, in the order of their full names; a folder is sorted with
// its slash. above are the folders that contain it.
func (w *walk) give(folder string, above []fs.FileInfo, give func(found) bool) (more bool, err error) {
	info, names, folders, err := w.look(folder, above)
	if err == nil {
		err = w.problems.err()
	}
	if err != nil || info == nil {
		return true, err
	}
	above = append(slices.Clip(above), info)
	for _, inner := range folders {
		names = append(names, inner+"/")
	}
	slices.Sort(names)
	for _, name := range names {
		inner, isFolder := strings.CutSuffix(name, "/")
		name := files.Join(folder, inner)
		if isFolder {
			more, err = w.give(name, above, give)
		} else {
			more = give(found{item: Item{Name: spool.Redacted(name), Label: -1},
				open: func(ctx context.Context) (spool.Object, error) { return w.fsys.Open(ctx, name) }})
		}
		if err != nil || !more {
			return more, err
		}
	}
	return true, nil
}
