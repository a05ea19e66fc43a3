package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// Glob lists the names that a shell would expand the pattern to, as Open lists them: files as they are named, folders
// as in Folder. In addition to path.Match, ** between slashes matches any number of folders, and at the end all files
// below. Wildcards do not match a leading dot unless the pattern has it; ** does not follow symbolic links. No match is
// ErrNotFound, a malformed pattern ErrOptions.
func Glob(ctx context.Context, pattern string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.glob(files.Local{}, "", pattern); err != nil {
		return nil, err
	}
	return l.listing()
}

// wildcards are the characters with which a pattern's special parts begin.
const wildcards = `*?[\`

func hasWildcards(name string) bool { return strings.ContainsAny(name, wildcards) }

// glob adds the matches of the pattern, which begins in root.
func (l *lister) glob(p files.System, root, pattern string) error {
	inner := strings.TrimLeft(pattern, "/")
	parts, err := patternParts(root, inner)
	if err != nil {
		l.problems.add(err)
		return nil
	}
	before := l.problems.count()
	g := &expansion{lister: l, fsys: p}
	if err := g.expand(root+pattern[:len(pattern)-len(inner)], parts); err != nil {
		return err
	}
	slices.SortFunc(g.matches, func(a, b match) int { return cmp.Compare(a.name, b.name) })
	if len(g.matches) == 0 && l.problems.count() == before {
		l.problems.add(nothingMatches(root + pattern))
	}
	for _, m := range slices.Compact(g.matches) {
		var err error
		if m.folder {
			err = l.folder(p, m.name)
		} else {
			err = l.file(p, m.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patternParts splits a pattern at its slashes, and checks it.
func patternParts(root, pattern string) ([]string, error) {
	parts := strings.Split(pattern, "/")
	parts = slices.CompactFunc(parts, func(a, b string) bool { return a == "**" && b == "**" })
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return nil, fmt.Errorf("%w: glob %s: %w", spool.ErrOptions, root+pattern, err)
		}
	}
	return parts, nil
}

func nothingMatches(pattern string) error {
	return &spool.Error{Op: "list", File: pattern, Class: spool.ErrNotFound, Text: "nothing matches this pattern"}
}

// match is a name that a pattern matches.
type match struct {
	name   string
	folder bool // or a link to one
}

// expansion collects the matches of one pattern.
type expansion struct {
	*lister
	fsys    files.System
	matches []match
}

// expand adds the matches of a pattern's parts in a folder, whose name is empty or ends in a slash.
func (x *expansion) expand(folder string, parts []string) error {
	part, rest := parts[0], parts[1:]
	last := len(rest) == 0
	if !hasWildcards(part) {
		name := folder + part
		if !last {
			return x.expand(name+"/", rest)
		}
		if info, err := x.fsys.Stat(name); err == nil {
			x.matches = append(x.matches, match{name, info.IsDir()})
		}
		return nil
	}
	entries, err := x.read(folder)
	if err != nil || len(entries) == 0 {
		return err
	}
	deep := part == "**"
	if deep && !last {
		if err := x.expand(folder, rest); err != nil {
			return err
		}
	}
	for _, e := range entries {
		name := e.Name()
		if name[0] == '.' && part[0] != '.' {
			continue
		}
		if ok, _ := path.Match(part, name); !ok { // patternParts has checked the pattern
			continue
		}
		inner := isFolder(x.fsys, folder, e)
		switch {
		case deep && e.IsDir():
			err = x.expand(folder+name+"/", parts)
		case deep && (inner || !last):
		case last:
			x.matches = append(x.matches, match{folder + name, inner})
		case inner:
			err = x.expand(folder+name+"/", rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read lists a folder. A folder that does not exist has no entries.
func (x *expansion) read(folder string) ([]fs.DirEntry, error) {
	folder = cmp.Or(trimSlashes(folder), ".")
	if err := ended(x.ctx, "list", folder); err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	err := x.fsys.Entries(x.ctx, folder, func(e fs.DirEntry) { list = append(list, e) })
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return list, nil
	case x.ctx.Err() != nil:
		return nil, ended(x.ctx, "list", folder)
	}
	x.problems.add(spool.FileError("list", folder, err))
	return nil, nil
}
