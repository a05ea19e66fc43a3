package source

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// prefixed is the objects of a store that a pattern matches, or that lie below a prefix, which is a pattern without wildcards.
type prefixed struct {
	*lister
	name   string   // as it was given
	begin  string   // of all addresses that may belong to it
	parts  []string // of the pattern, between slashes; nil for a whole store
	inside bool     // what matches is a folder, and not an object
	seen   Skipped
	n      int // given
}

// prefixed is the feed of such an address.
func (l *lister) prefixed(name string) feed {
	pattern := strings.TrimRight(key(name), "/")
	root := name[:len(name)-len(key(name))]
	p := prefixed{name: name, begin: prefix(trimAddress(name)), inside: strings.HasSuffix(name, "/")}
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
		p := p // this time's
		p.seen.Kinds = map[string]int{}
		if p.lister, err = newLister(ctx, l.opts); err != nil {
			return err
		}
		return p.list(give)
	}
}

// list gives the objects.
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
		names := strings.Split(key(e.Address), "/")
		whole := false // and not only a folder that it lies in
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
	return nothing(trimAddress(p.name), p.opts, p.seen)
}

// itself looks for an object of the very name, which is what there is in a store that does not tell what it has.
func (p *prefixed) itself() (e Entry, found bool, err error) {
	if p.inside {
		return Entry{}, false, nil
	}
	for e, err := range p.opts.Remote.Walk(p.ctx, p.name) {
		if spool.ClassOf(err) == spool.ErrUnsupported {
			return Entry{Address: p.name}, true, nil
		}
		return e, err == nil && e.Address == p.name, spool.InFile(err, p.name)
	}
	return Entry{}, false, nil
}

// object gives an object that was named by itself, or what it holds.
func (p *prefixed) object(e Entry, give func(found) bool) (more bool, err error) {
	if !IsShard(e.Address) && !p.isManifest(e.Address) {
		return give(p.found(e)), nil
	}
	l, err := newLister(p.ctx, p.opts)
	if err != nil {
		return false, err
	}
	l.unnamed = true
	if err := l.file(l.opts.place(), e.Address); err != nil {
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
	return found{Item{Name: spool.Shown(e.Address), Label: -1}, func(ctx context.Context) (spool.Object, error) { return p.opts.Remote.Open(ctx, e) }}
}

// fits reports whether what lies below a folder is looked for, as Folder does.
func (p *prefixed) fits(names []string) bool {
	last := names[len(names)-1]
	switch {
	case slices.Contains(names, ""): // no path has such names
	case slices.ContainsFunc(names, func(name string) bool { return name[0] == '.' }):
		p.seen.Hidden++
	case p.wanted[extension(last)]:
		return true
	case p.n == 0: // after that, nobody asks
		p.seen.Kinds[extension(last)]++
	}
	return false
}

// matches reports whether the parts of a pattern match names that lie within each other, as Glob has it, and fits takes what is left of
// these: those below a folder that the pattern matches.
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
