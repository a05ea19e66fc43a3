package source

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/indexpath"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/table"
)

// Folder lists the files below root, as torchvision's ImageFolder does.
//
//   - Each folder in root is a class. Class names sorted bytewise have the labels 0, 1, 2 and so on. Files at any
//     depth below belong to the class. Files next to the class folders belong to no class and are left out
//     (Listing.Skipped counts them).
//   - If no folder in root holds anything to load, root's own files are listed, with label -1 and no classes.
//   - Within a class, the files of a folder are sorted by name, and the folders by path. Items have the indices that
//     they have in ImageFolder.
//   - Only files with a known extension are listed: see Medium and Options.Extensions.
//   - Symbolic links are followed. A link back to a folder that contains it is not entered again. A dangling link is
//     listed if its extension is known, and fails when it is opened; so do pipes and other special files.
//
// There are two differences. Files and folders whose names begin with a dot are skipped, so that .ipynb_checkpoints is
// not a class. A folder that cannot be read is an error. If some class folders have nothing to load and others do, the
// error is ErrEmpty unless Options.AllowEmpty is set; a root with nothing to load is always ErrEmpty.
func Folder(ctx context.Context, root string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.folder(files.Local{}, trimSlashes(root)); err != nil {
		return nil, err
	}
	return l.listing()
}

// FS lists the files below root in fsys, as Folder does. Names are paths in fsys, and fsys resolves links. A file that
// does not implement io.ReaderAt is read sequentially: reading it from beginning to end costs nothing more, and going
// back opens it again.
func FS(ctx context.Context, fsys fs.FS, root string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.folder(files.FS{FS: fsys}, root); err != nil {
		return nil, err
	}
	return l.listing()
}

// walk is the listing of one root.
type walk struct {
	*lister
	fsys files.System
	seen Skipped
}

// folder adds the files below root. It records problems, and returns an error only if the context has ended.
func (l *lister) folder(p files.System, root string) error {
	tables, err := l.savedTables(p, root)
	if err != nil {
		return l.refused(root, err)
	}
	for _, name := range tables {
		if err := l.file(p, name); err != nil {
			return err
		}
	}
	switch {
	case tables != nil:
		return nil
	case l.refuses(root):
		return nil
	case l.roots != nil:
		return l.roots.folder(p, root)
	}
	w := &walk{lister: l, fsys: p, seen: Skipped{Extensions: map[string]int{}}}
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

// top lists a root: its folders as classes, or its own files if no folder holds anything to load.
func (w *walk) top(root string) (found int, err error) {
	info, names, folders, err := w.look(root, nil)
	if err != nil || info == nil {
		return 0, err
	}
	var empty []string
	for _, class := range folders {
		first, before := len(w.groups), w.problems.count()
		n, err := w.class(files.Join(root, class), class, []fs.FileInfo{info})
		if err != nil {
			return 0, err
		}
		if n == 0 && w.problems.count() == before {
			empty = append(empty, class)
		}
		w.seal()
		// The walk is depth first, but ImageFolder sorts paths: "a", "a-b", "a/x". The sort is stable, since a large folder
		// has several groups.
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

// class lists all files below a folder. above are the folders that contain it.
func (w *walk) class(folder, class string, above []fs.FileInfo) (found int, err error) {
	info, names, folders, err := w.look(folder, above)
	if err != nil || info == nil {
		return 0, err
	}
	w.addAll(folder, class, names)
	found = len(names)
	above = append(slices.Clip(above), info)
	for _, name := range folders {
		n, err := w.class(files.Join(folder, name), class, above)
		if err != nil {
			return 0, err
		}
		found += n
	}
	return found, nil
}

// look reads a folder and returns the names of its files to load and of its folders, both sorted. info is nil if the
// folder cannot be read or is one of those above.
func (w *walk) look(folder string, above []fs.FileInfo) (info fs.FileInfo, names, folders []string, err error) {
	if err := ended(w.ctx, "list", folder); err != nil {
		return nil, nil, nil, err
	}
	info, err = w.fsys.Stat(folder)
	if err == nil && slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
		return nil, nil, nil, nil
	}
	if err == nil {
		err = w.fsys.Entries(w.ctx, folder, func(e fs.DirEntry) {
			name := e.Name()
			switch {
			case name[0] == '.':
				w.seen.Hidden++
			case isFolder(w.fsys, folder, e):
				folders = append(folders, name)
			case w.wanted[extension(name)]:
				names = append(names, name)
			case strings.HasSuffix(name, indexpath.Suffix): // of a listed file
			default:
				w.seen.Extensions[extension(name)]++
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
	w.start(group{fsys: w.fsys, folder: files.Prefix(folder), class: class})
	for _, name := range names {
		w.add(name, -1)
	}
}

// isFolder reports whether an entry is a folder or a link to one.
func isFolder(p files.System, folder string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := p.Stat(files.Join(folder, e.Name()))
	return err == nil && info.IsDir()
}

func extension(name string) string {
	ext := strings.ToLower(path.Ext(spool.Redacted(name)))
	if numbered.MatchString(ext) {
		ext = ext[:strings.IndexByte(ext, '-')]
	}
	return ext
}

// numbered is an extension with the number of a file, of several, after it: .tfrecord-00000-of-00010.
var numbered = regexp.MustCompile(`^\.[a-z]+-[0-9]+-of-[0-9]+$`)

// savedTables returns the tables of a data set in a folder: that Hugging Face's datasets have saved, or with an index
// of Options.Sets; nil if there is none.
func (l *lister) savedTables(p files.System, root string) (tables []string, err error) {
	if _, other := p.(files.FS); other { // tables are opened by their paths
		return nil, nil
	}
	if tables, err := l.savedSet(p, root); tables != nil || err != nil || l.opts.Formats[".arrow"] == nil {
		return tables, err
	}
	var state struct {
		Files []struct{ Filename string } `json:"_data_files"`
		Names []string                    `json:"splits"`
	}
	for _, name := range []string{"state.json", "dataset_dict.json"} {
		const limit = 1 << 20
		name = files.Join(root, name)
		if info, err := p.Stat(name); err != nil || info.IsDir() || info.Size() > limit {
			continue
		}
		o, err := p.Open(l.ctx, name)
		if err != nil {
			return nil, err
		}
		data, err := spool.ReadAll(l.ctx, o, nil, limit)
		o.Close()
		if err != nil {
			return nil, spool.InFile(err, name)
		}
		_ = json.Unmarshal(data, &state) // other files of that name may have any form
	}
	if len(state.Files) == 0 && len(state.Names) > 0 {
		return nil, &spool.Error{Op: "list", File: root, Class: spool.ErrUnsupported, Text: fmt.Sprintf(
			"a DatasetDict: give the folder of one of its splits, which are %s", shown(state.Names))}
	}
	for _, f := range state.Files {
		if f.Filename == "" || strings.ContainsAny(f.Filename, "/\\") {
			return nil, &spool.Error{Op: "list", File: files.Join(root, "state.json"), Class: spool.ErrCorrupt,
				Text: fmt.Sprintf("a data file of this folder cannot be called %.100q", f.Filename)}
		}
		tables = append(tables, files.Join(root, f.Filename))
	}
	return tables, nil
}

// indexHead is the most bytes of an index that tell its format.
const indexHead = 64

// isIndex reports whether a name is that of an index of Options.Sets.
func (o Options) isIndex(name string) bool {
	return o.Sets[path.Base(spool.Redacted(name))].Open != nil
}

// set returns the format of an index, if its name and its first bytes are those of one.
func (o Options) set(ctx context.Context, p files.System, name string) (s table.Set, ok bool, err error) {
	if !o.isIndex(name) {
		return s, false, nil
	}
	in, err := p.Open(ctx, name)
	if err != nil {
		return s, false, err
	}
	defer in.Close()
	head := make([]byte, min(indexHead, in.Info().Size))
	if n, err := spool.ReadRange(ctx, in, head, 0); n < len(head) {
		return s, false, err
	}
	s = o.Sets[path.Base(spool.Redacted(name))]
	return s, s.Is(head), nil
}

// savedSet returns the index of a data set in a folder; nil if there is none.
func (l *lister) savedSet(p files.System, root string) ([]string, error) {
	for base := range l.opts.Sets {
		name := files.Join(root, base)
		if info, err := p.Stat(name); err != nil || info.IsDir() {
			continue
		}
		_, ok, err := l.opts.set(l.ctx, p, name)
		if err != nil {
			return nil, spool.InFile(err, name)
		}
		if ok {
			return []string{name}, nil
		}
	}
	return nil, nil
}
