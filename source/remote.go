package source

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// Remote is object stores whose objects have URLs in place of paths, "s3://bucket/key": package object implements it.
// It is safe for concurrent use.
type Remote interface {
	// Known reports whether name is a URL, not a path.
	Known(name string) bool
	// Open opens an object. It sends no request if the entry has its size, as entries of listings do.
	Open(ctx context.Context, e Entry) (spool.Object, error)
	// List yields the objects whose URLs begin with prefix, sorted bytewise. An error comes last.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]
	// Walk is List at the pace of its consumer: what it prefetches and keeps does not grow with the number of objects.
	Walk(ctx context.Context, prefix string) iter.Seq2[Entry, error]
}

// Store is a Remote whose objects can be written: package object implements it.
type Store interface {
	Remote
	// Create begins to write an object. ctx is that of the whole upload. The caller calls Commit or Discard.
	Create(ctx context.Context, url string) (Upload, error)
	// AbortUploads discards uploads below a prefix that ended processes have left, if which accepts their URLs. It also
	// ends uploads of running processes.
	AbortUploads(ctx context.Context, prefix string, which func(url string) bool) error
}

// Upload is an object while it is written. It belongs to one goroutine.
type Upload interface {
	io.Writer
	// Commit makes the bytes written so far an object, which readers see as a whole or not at all. If there is an object
	// of this URL, it stays, and the error is fs.ErrExist.
	Commit() error
	// Discard ends an upload without an object. It does nothing after Commit has succeeded.
	Discard()
}

// Entry is an object of a Remote.
type Entry struct {
	URL     string
	Size    int64  // 0: unknown, or an empty object
	Version string // as the store calls it; differs from that of later content at the same URL; empty if unknown
}

// fileSystem returns the file system in which names of files are resolved.
func (o Options) fileSystem() files.System {
	if o.Remote == nil {
		return files.Local{}
	}
	return localAndRemote{remote: o.Remote}
}

// isRemote reports whether name is a URL, not a path.
func (o Options) isRemote(name string) bool { return o.Remote != nil && o.Remote.Known(name) }

// localAndRemote is the file system of local files and of remote objects.
type localAndRemote struct {
	files.Local
	remote Remote
}

func (p localAndRemote) Open(ctx context.Context, name string) (spool.Object, error) {
	if p.remote.Known(name) {
		return p.remote.Open(ctx, Entry{URL: name})
	}
	return p.Local.Open(ctx, name)
}

// url adds an object by its URL, or the objects below a prefix as a folder. A store that cannot list gives objects
// only.
func (l *lister) url(url string) error {
	l.remote = true
	root := url[:len(url)-len(key(url))]
	switch {
	case hasWildcards(key(url)):
		return l.matching(root, key(url))
	case strings.HasSuffix(url, "/"):
		return l.below(trimURL(url))
	case IsShard(url), l.isManifest(url), l.wanted[extension(url)]:
		return l.file(l.opts.fileSystem(), url) // no request is needed
	}
	for e, err := range l.opts.Remote.List(l.ctx, url) {
		switch {
		case err == nil && e.URL == url, spool.ClassOf(err) == spool.ErrUnsupported:
			return l.file(l.opts.fileSystem(), url)
		case err != nil:
			return l.refused(url, err)
		}
		break
	}
	return l.below(url)
}

// key returns the part of a URL after the store: "train/cat.jpg" of "s3://bucket/train/cat.jpg".
func key(url string) string {
	_, inner, _ := strings.Cut(url, "://")
	_, key, _ := strings.Cut(inner, "/")
	return key
}

// matching adds the objects that match a pattern in a store. If an object has exactly that name, it adds only this
// object. Otherwise it adds the objects that Glob would match. It lists all objects whose names begin like the pattern
// up to its first wildcard.
func (l *lister) matching(root, pattern string) error {
	name := root + pattern
	s, err := l.listRemote(root + pattern[:strings.IndexAny(pattern, wildcards)])
	if err != nil {
		if spool.ClassOf(err) == spool.ErrUnsupported { // the store cannot list; the wildcard may begin a query
			return l.file(l.opts.fileSystem(), name)
		}
		return l.refused(name, err)
	}
	if _, found := s.at(name); found {
		return l.file(s, name)
	}
	return l.glob(s, root, pattern)
}

// refused records that a listing has failed. It returns an error only if the context has ended.
func (l *lister) refused(name string, err error) error {
	if err := ended(l.ctx, "list", name); err != nil {
		return err
	}
	l.problems.add(spool.InFile(err, name))
	return nil
}

// below adds the objects below a prefix, as Folder adds files.
func (l *lister) below(root string) error {
	s, err := l.listRemote(files.Prefix(root))
	if err != nil {
		return l.refused(root, err)
	}
	if len(s.objects) == 0 {
		l.problems.add(nothing(root, l.opts, Skipped{}))
		return nil
	}
	return l.folder(s, root)
}

// listRemote lists the objects whose URLs begin with prefix.
func (l *lister) listRemote(prefix string) (*remoteListing, error) {
	s := &remoteListing{remote: l.opts.Remote}
	for e, err := range s.remote.List(l.ctx, prefix) {
		if err != nil {
			return nil, err
		}
		s.objects = append(s.objects, e)
	}
	return s, nil
}

// remoteListing is the file system of listed objects. Slashes in their names separate folders.
type remoteListing struct {
	remote  Remote
	objects []Entry // sorted
}

func (s *remoteListing) at(name string) (int, bool) {
	return slices.BinarySearchFunc(s.objects, name,
		func(e Entry, name string) int { return strings.Compare(e.URL, name) })
}

func (s *remoteListing) Stat(name string) (fs.FileInfo, error) {
	if i, found := s.at(name); found {
		return remoteEntry{name, s.objects[i].Size, false}, nil
	}
	folder := files.Prefix(name)
	if i, _ := s.at(folder); i < len(s.objects) && strings.HasPrefix(s.objects[i].URL, folder) {
		return remoteEntry{name, 0, true}, nil
	}
	return nil, fs.ErrNotExist
}

func (s *remoteListing) Entries(_ context.Context, folder string, entry func(fs.DirEntry)) error {
	folder = files.Prefix(folder)
	i, _ := s.at(folder)
	for i < len(s.objects) && strings.HasPrefix(s.objects[i].URL, folder) {
		e := s.objects[i]
		name := e.URL[len(folder):]
		if inner, _, isFolder := strings.Cut(name, "/"); isFolder {
			if inner != "" { // "a//b" has a folder without a name, which no path has
				entry(fs.FileInfoToDirEntry(remoteEntry{inner, 0, true}))
			}
			i, _ = s.at(folder + inner + "0") // "0" sorts right after "/"
			continue
		}
		if name != "" { // "a/", which some tools create for a folder
			entry(fs.FileInfoToDirEntry(remoteEntry{name, e.Size, false}))
		}
		i++
	}
	return nil
}

func (s *remoteListing) Open(ctx context.Context, name string) (spool.Object, error) {
	i, found := s.at(name)
	if !found {
		return nil, spool.FileError("open", name, fs.ErrNotExist)
	}
	return s.remote.Open(ctx, s.objects[i])
}

// remoteEntry describes an object, or a folder of objects, as a file.
type remoteEntry struct {
	name   string
	size   int64
	folder bool
}

func (e remoteEntry) Name() string       { return e.name }
func (e remoteEntry) Size() int64        { return e.size }
func (e remoteEntry) ModTime() time.Time { return time.Time{} }
func (e remoteEntry) IsDir() bool        { return e.folder }
func (e remoteEntry) Sys() any           { return nil }

func (e remoteEntry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir
	}
	return 0
}

// trimURL is trimSlashes for URLs, which keep the slashes of their scheme.
func trimURL(name string) string {
	scheme, rest, _ := strings.Cut(name, "://")
	return scheme + "://" + strings.TrimRight(rest, "/")
}
