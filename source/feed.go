package source

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// feed is what lists an argument of a stream; nil for one that is listed at once.
func (l *lister) feed(name string) feed {
	switch {
	case strings.HasPrefix(name, "@"):
		return nil
	case l.opts.isRemote(name):
		if !hasWildcards(key(name)) && !strings.HasSuffix(name, "/") && (IsShard(name) || l.isManifest(name) || l.wanted[extension(name)]) {
			return nil // an object, as Open has it
		}
		return l.prefixed(name)
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil
	}
	return l.folderFeed(trimSlashes(name))
}

// listed lists names at once, as Open does, but for the labels of classes: these are numbers of all their names.
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

// feed gives the items of a listing.
func (l *Listing) feed(_ context.Context, give func(found) bool) error {
	for i := range l.n {
		if !give(found{l.Item(i), func(ctx context.Context) (spool.Object, error) { return l.Open(ctx, i) }}) {
			break
		}
	}
	return nil
}

// folderFeed gives the files below a folder, of which one is read at a time.
func (l *lister) folderFeed(root string) feed {
	return func(ctx context.Context, give func(found) bool) error {
		l, err := newLister(ctx, l.opts) // for what is found this time
		if err != nil {
			return err
		}
		w := &walk{lister: l, place: l.opts.place(), seen: Skipped{Kinds: map[string]int{}}}
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

// give gives the files below a folder, in the order of their whole names: a folder is sorted with its slash. above are the folders it
// lies in.
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
		name := join(folder, inner)
		if isFolder {
			more, err = w.give(name, above, give)
		} else {
			more = give(found{Item{Name: spool.Shown(name), Label: -1}, func(ctx context.Context) (spool.Object, error) { return w.place.open(ctx, name) }})
		}
		if err != nil || !more {
			return more, err
		}
	}
	return true, nil
}
