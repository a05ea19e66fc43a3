package source

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// prefixed lists the objects of a store that match a pattern, or a prefix, which is a pattern without wildcards.
type prefixed struct {
	*lister
	name   string   // as it was given
	begin  string   // prefix of all URLs that may match
	parts  []string // of the pattern, split at slashes; nil for a whole store
	inside bool     // matches are folders, not objects
	seen   Skipped
	n      int // number of samples given
}

// prefixed returns the feed of a pattern or prefix.
func (l *lister) prefixed(name string) feed {
	pattern := strings.TrimRight(key(name), "/")
	root := name[:len(name)-len(key(name))]
	p := prefixed{name: name, begin: files.Prefix(trimURL(name)), inside: strings.HasSuffix(name, "/")}
	switch {
	case hasWildcards(pattern):
		var err error
		if p.parts, err = patternParts(root, pattern); err != nil {
			l.problems.add(err)
		}
		p.begin = root + pattern[:strings.IndexAny(pattern, wildcards)]
	case pattern != "":
		p.parts = strings.Split(pattern, "/")
	}
	return func(ctx context.Context, give func(found) bool) (err error) {
		p := p // each run of the feed has its own
		p.seen.Extensions = map[string]int{}
		if p.lister, err = newLister(ctx, l.opts); err != nil {
			return err
		}
		return p.list(give)
	}
}

// list passes the objects to give.
func (p *prefixed) list(give func(found) bool) error {
	if e, found, err := p.itself(); err != nil {
		return err
	} else if found {
		_, err := p.object(e, give)
		return err
	}
	for e, err := range p.opts.Remote.Walk(p.ctx, p.begin) {
		if err != nil {
			return spool.InFile(err, p.name)
		}
		names := strings.Split(key(e.URL), "/")
		whole := false // the pattern matches the object, not only a folder that contains it
		if !matches(p.parts, names, func(rest []string) bool {
			whole = len(rest) == 0
			return whole && !p.inside || !whole && p.fits(rest)
		}) {
			continue
		}
		p.n++
		if !whole {
			if !give(p.found(e)) {
				return nil
			}
		} else if more, err := p.object(e, give); err != nil || !more {
			return err
		}
	}
	switch {
	case p.n > 0:
		return nil
	case hasWildcards(key(p.name)):
		return nothingMatches(p.name)
	}
	return nothing(trimURL(p.name), p.opts, p.seen)
}

// itself looks for an object of exactly that name. In a store that cannot list, the object is assumed to exist.
func (p *prefixed) itself() (e Entry, found bool, err error) {
	if p.inside {
		return Entry{}, false, nil
	}
	for e, err := range p.opts.Remote.Walk(p.ctx, p.name) {
		if spool.ClassOf(err) == spool.ErrUnsupported {
			return Entry{URL: p.name}, true, nil
		}
		return e, err == nil && e.URL == p.name, spool.InFile(err, p.name)
	}
	return Entry{}, false, nil
}

// object passes an object that was named by itself to give, or the samples that it holds.
func (p *prefixed) object(e Entry, give func(found) bool) (more bool, err error) {
	if !IsShard(e.URL) && !p.isManifest(e.URL) {
		return give(p.found(e)), nil
	}
	l, err := newLister(p.ctx, p.opts)
	if err != nil {
		return false, err
	}
	l.unnamed = true
	if err := l.file(l.opts.fileSystem(), e.URL); err != nil {
		return false, err
	}
	held, err := l.listing()
	if err != nil {
		return false, err
	}
	err = held.feed(p.ctx, func(f found) bool {
		more = give(f)
		return more
	})
	return more, err
}

func (p *prefixed) found(e Entry) found {
	open := func(ctx context.Context) (spool.Object, error) { return p.opts.Remote.Open(ctx, e) }
	return found{item: Item{Name: spool.Redacted(e.URL), Label: -1}, open: open}
}

// fits reports whether an object below a folder is to be loaded, as in Folder.
func (p *prefixed) fits(names []string) bool {
	last := names[len(names)-1]
	switch {
	case slices.Contains(names, ""): // no path has such names
	case slices.ContainsFunc(names, func(name string) bool { return name[0] == '.' }):
		p.seen.Hidden++
	case p.wanted[extension(last)]:
		return true
	case p.n == 0: // counts are reported only if nothing was given
		p.seen.Extensions[extension(last)]++
	}
	return false
}

// matches reports whether the parts of a pattern match names, a path split at slashes, as in Glob. fits decides about
// the rest of names: those below a folder that the pattern matches.
func matches(parts, names []string, fits func(rest []string) bool) bool {
	if len(parts) == 0 {
		return fits(names)
	}
	if len(names) == 0 {
		return false
	}
	part, rest := parts[0], parts[1:]
	hidden := strings.HasPrefix(names[0], ".") && !strings.HasPrefix(part, ".")
	switch {
	case part == "**" && len(rest) > 0:
		return matches(rest, names, fits) || !hidden && len(names) > 1 && matches(parts, names[1:], fits)
	case part == "**":
		return !slices.ContainsFunc(names, func(name string) bool { return name == "" || name[0] == '.' }) && fits(nil)
	case hasWildcards(part):
		if ok, _ := path.Match(part, names[0]); !ok || hidden { // the pattern was checked before
			return false
		}
	case part != names[0]:
		return false
	}
	return matches(rest, names[1:], fits)
}
