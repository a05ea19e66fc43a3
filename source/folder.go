package source

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// Folder lists the files below root, as torchvision's ImageFolder does.
//
//   - Each folder in root is a class. Class names sorted bytewise give labels 0, 1, 2 and so on; files at any
//     depth below belong to the class. Files beside the class folders belong to no class and are left out
//     (Listing.Skipped counts them).
//   - Where no folder in root holds anything to load, root's own files are listed, with label -1 and no classes.
//   - Within a class the files of a folder come sorted by name, the folders sorted by path. Items have the
//     indices they have in ImageFolder.
//   - Only files with a known extension count: see Kind and Options.Extensions.
//   - Symbolic links are followed. One that leads back to a folder it lies in is not entered again. One that
//     leads nowhere is listed when its name fits, and fails when it is opened; so do pipes and the like.
//
// In two things it differs: files and folders whose names begin with a dot are skipped, so that
// .ipynb_checkpoints is no class; and a folder that cannot be read is an error. Class folders with nothing
// to load, beside others that have, are ErrEmpty unless Options.AllowEmpty; a root with nothing to load always is.
func Folder(ctx context.Context, root string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.folder(system{}, trimSlashes(root)); err != nil {
		return nil, err
	}
	return l.listing()
}

// FS lists the files below root in fsys, as Folder does. Names are the paths that fsys knows, and links are
// what fsys makes of them. A file that does not implement io.ReaderAt is read in sequence: reading it from
// its beginning to its end costs nothing more, going back opens it again.
func FS(ctx context.Context, fsys fs.FS, root string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.folder(files{fsys}, root); err != nil {
		return nil, err
	}
	return l.listing()
}

// walk lists one root.
type walk struct {
	*lister
	place place
	seen  Skipped
}

// folder adds what lies below root. What is wrong goes to the problems; an error is the end of the context.
func (l *lister) folder(p place, root string) error {
	w := &walk{lister: l, place: p, seen: Skipped{Kinds: map[string]int{}}}
	before := l.problems.count()
	found, err := w.top(root)
	if err != nil {
		return err
	}
	if found == 0 && l.problems.count() == before {
		l.problems.add(nothing(root, l.opts, w.seen))
	}
	l.skipped.add(w.seen)
	return nil
}

// top lists a root: its folders as classes, or its own files where no folder holds anything to load.
func (w *walk) top(root string) (found int, err error) {
	info, names, folders, err := w.look(root, nil)
	if err != nil || info == nil {
		return 0, err
	}
	var empty []string
	for _, class := range folders {
		first, before := len(w.groups), w.problems.count()
		n, err := w.class(join(root, class), class, []fs.FileInfo{info})
		if err != nil {
			return 0, err
		}
		if n == 0 && w.problems.count() == before {
			empty = append(empty, class)
		}
		w.seal()
		// Walked depth first, but ImageFolder sorts paths: "a", "a-b", "a/x". Stable, as a large folder has
		// several groups.
		slices.SortStableFunc(w.groups[first:], func(a, b group) int {
			return strings.Compare(strings.TrimSuffix(a.folder, "/"), strings.TrimSuffix(b.folder, "/"))
		})
		found += n
	}
	if found == 0 {
		w.addAll(root, "", names)
		return len(names), nil
	}
	w.seen.Outside += len(names)
	for _, class := range folders {
		w.classes[class] = true
	}
	if len(empty) > 0 && !w.opts.AllowEmpty {
		w.problems.add(emptyClasses(root, w.opts, empty, len(folders)))
	}
	return found, nil
}

// class lists everything below a folder. above are the folders it lies in.
func (w *walk) class(folder, class string, above []fs.FileInfo) (found int, err error) {
	info, names, folders, err := w.look(folder, above)
	if err != nil || info == nil {
		return 0, err
	}
	w.addAll(folder, class, names)
	found = len(names)
	above = append(slices.Clip(above), info)
	for _, name := range folders {
		n, err := w.class(join(folder, name), class, above)
		if err != nil {
			return 0, err
		}
		found += n
	}
	return found, nil
}

// look reads a folder: the names of files to load and of folders, both sorted. info is nil for a folder that
// cannot be read or is one of those above.
func (w *walk) look(folder string, above []fs.FileInfo) (info fs.FileInfo, names, folders []string, err error) {
	if err := ended(w.ctx, "list", folder); err != nil {
		return nil, nil, nil, err
	}
	info, err = w.place.stat(folder)
	if err == nil && slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
		return nil, nil, nil, nil
	}
	if err == nil {
		err = w.place.entries(w.ctx, folder, func(e fs.DirEntry) {
			name := e.Name()
			switch {
			case name[0] == '.':
				w.seen.Hidden++
			case isFolder(w.place, folder, e):
				folders = append(folders, name)
			case w.wanted[extension(name)]:
				names = append(names, name)
			default:
				w.seen.Kinds[extension(name)]++
			}
		})
	}
	if err != nil {
		if err := ended(w.ctx, "list", folder); err != nil {
			return nil, nil, nil, err
		}
		w.problems.add(spool.FileError("list", folder, err))
		return nil, nil, nil, nil
	}
	slices.Sort(names)
	slices.Sort(folders)
	return info, names, folders, nil
}

func (w *walk) addAll(folder, class string, names []string) {
	if len(names) == 0 {
		return
	}
	w.start(group{place: w.place, folder: prefix(folder), class: class})
	for _, name := range names {
		w.add(name, -1)
	}
}

// isFolder reports whether an entry is a folder or a link to one.
func isFolder(p place, folder string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := p.stat(join(folder, e.Name()))
	return err == nil && info.IsDir()
}

func extension(name string) string { return strings.ToLower(path.Ext(spool.Shown(name))) }
