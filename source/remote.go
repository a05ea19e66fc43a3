package source

import (
	"context"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
)

// Remote is stores of objects that are named by addresses in place of paths, "s3://bucket/key": package object has one. It
// is safe for concurrent use.
type Remote interface {
	// Known tells addresses from paths.
	Known(name string) bool
	// Open opens an object: without asking for it where the entry says its size, as those of listings do.
	Open(ctx context.Context, e Entry) (spool.Object, error)
	// List gives the objects whose addresses begin with prefix, sorted bytewise. An error comes last.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]
	// Walk is List at the pace of whoever takes the objects: what is asked for ahead, and kept, does not grow with their number.
	Walk(ctx context.Context, prefix string) iter.Seq2[Entry, error]
}

// Entry is an object of a Remote.
type Entry struct {
	Address string
	Size    int64  // 0: not known, or nothing
	Version string // what tells it from what is written there later, as the store calls it; empty where that is not known
}

// place is where names of files lead.
func (o Options) place() place {
	if o.Remote == nil {
		return system{}
	}
	return anywhere{remote: o.Remote}
}

// isRemote tells addresses from paths.
func (o Options) isRemote(name string) bool { return o.Remote != nil && o.Remote.Known(name) }

// anywhere is the place of the system's files and of objects.
type anywhere struct {
	system
	remote Remote
}

func (p anywhere) open(ctx context.Context, name string) (spool.Object, error) {
	if p.remote.Known(name) {
		return p.remote.Open(ctx, Entry{Address: name})
	}
	return p.system.open(ctx, name)
}

// address adds what lies at an address: an object, or as a folder those below it. A store that does not list what it has gives
// objects only.
func (l *lister) address(name string) error {
	l.remote = true
	root := name[:len(name)-len(key(name))]
	switch {
	case hasWildcards(key(name)):
		return l.matching(root, key(name))
	case strings.HasSuffix(name, "/"):
		return l.below(trimAddress(name))
	case IsShard(name), l.isManifest(name), l.wanted[extension(name)]:
		return l.file(l.opts.place(), name) // nobody has to be asked
	}
	for e, err := range l.opts.Remote.List(l.ctx, name) {
		switch {
		case err == nil && e.Address == name, spool.ClassOf(err) == spool.ErrUnsupported:
			return l.file(l.opts.place(), name)
		case err != nil:
			return l.refused(name, err)
		}
		break
	}
	return l.below(name)
}

// key is what comes behind the store in an address: "train/cat.jpg" of "s3://bucket/train/cat.jpg".
func key(address string) string {
	_, inner, _ := strings.Cut(address, "://")
	_, key, _ := strings.Cut(inner, "/")
	return key
}

// matching adds what a pattern matches in a store: what has that very name, or else as Glob does. All objects are listed whose
// names begin like the pattern up to its first wildcard.
func (l *lister) matching(root, pattern string) error {
	name := root + pattern
	s, err := l.stored(root + pattern[:strings.IndexAny(pattern, wildcards)])
	if err != nil {
		if spool.ClassOf(err) == spool.ErrUnsupported { // it lists nothing; the wildcard may be what begins a query
			return l.file(l.opts.place(), name)
		}
		return l.refused(name, err)
	}
	if _, found := s.at(name); found {
		return l.file(s, name)
	}
	return l.glob(s, root, pattern)
}

// refused notes that a listing has failed; an error is the end of the context.
func (l *lister) refused(name string, err error) error {
	if err := ended(l.ctx, "list", name); err != nil {
		return err
	}
	l.problems.add(spool.InFile(err, name))
	return nil
}

// below adds the objects below an address, as Folder adds files.
func (l *lister) below(root string) error {
	s, err := l.stored(prefix(root))
	if err != nil {
		return l.refused(root, err)
	}
	if len(s.objects) == 0 {
		l.problems.add(nothing(root, l.opts, Skipped{}))
		return nil
	}
	return l.folder(s, root)
}

// stored lists the objects whose addresses begin with prefix.
func (l *lister) stored(prefix string) (*stored, error) {
	s := &stored{remote: l.opts.Remote}
	for e, err := range s.remote.List(l.ctx, prefix) {
		if err != nil {
			return nil, err
		}
		s.objects = append(s.objects, e)
	}
	return s, nil
}

// stored is the place of objects that were listed: what is a slash to people is one to it, and folders are what lies in between.
type stored struct {
	remote  Remote
	objects []Entry // sorted
}

func (s *stored) at(name string) (int, bool) {
	return slices.BinarySearchFunc(s.objects, name, func(e Entry, name string) int { return strings.Compare(e.Address, name) })
}

func (s *stored) stat(name string) (fs.FileInfo, error) {
	if i, found := s.at(name); found {
		return storedEntry{name, s.objects[i].Size, false}, nil
	}
	folder := prefix(name)
	if i, _ := s.at(folder); i < len(s.objects) && strings.HasPrefix(s.objects[i].Address, folder) {
		return storedEntry{name, 0, true}, nil
	}
	return nil, fs.ErrNotExist
}

func (s *stored) entries(_ context.Context, folder string, entry func(fs.DirEntry)) error {
	folder = prefix(folder)
	i, _ := s.at(folder)
	for i < len(s.objects) && strings.HasPrefix(s.objects[i].Address, folder) {
		e := s.objects[i]
		name := e.Address[len(folder):]
		if inner, _, isFolder := strings.Cut(name, "/"); isFolder {
			if inner != "" { // "a//b" has a folder without a name, which no path has
				entry(fs.FileInfoToDirEntry(storedEntry{inner, 0, true}))
			}
			i, _ = s.at(folder + inner + "0") // which comes after the slash
			continue
		}
		if name != "" { // "a/", which some tools make for a folder
			entry(fs.FileInfoToDirEntry(storedEntry{name, e.Size, false}))
		}
		i++
	}
	return nil
}

func (s *stored) open(ctx context.Context, name string) (spool.Object, error) {
	i, found := s.at(name)
	if !found {
		return nil, spool.FileError("open", name, fs.ErrNotExist)
	}
	return s.remote.Open(ctx, s.objects[i])
}

// storedEntry is an object, or a folder of them, as files have it.
type storedEntry struct {
	name   string
	size   int64
	folder bool
}

func (e storedEntry) Name() string       { return e.name }
func (e storedEntry) Size() int64        { return e.size }
func (e storedEntry) ModTime() time.Time { return time.Time{} }
func (e storedEntry) IsDir() bool        { return e.folder }
func (e storedEntry) Sys() any           { return nil }

func (e storedEntry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir
	}
	return 0
}

// trimAddress is trimSlashes for addresses, which keep those of their scheme.
func trimAddress(name string) string {
	scheme, rest, _ := strings.Cut(name, "://")
	return scheme + "://" + strings.TrimRight(rest, "/")
}
