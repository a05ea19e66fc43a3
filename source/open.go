package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source/internal/files"
)

// Open lists the samples that the arguments of a command name, in the given order:
//
//   - a folder: see Folder
//   - @FILE, a list: see List
//   - a tar file (.tar, .tar.gz, .tgz, .tar.zst): see Shards
//   - a manifest (.csv, .tsv, .jsonl, .ndjson, and the extensions of Options.Formats): see Manifest
//   - any other file, whatever its extension
//   - a URL that Options.Remote knows: one object, or the objects below a prefix, which is read as a folder
//   - a pattern, if no file has exactly that name: see Glob
//
// Braces in an argument expand as in a shell, unless a file has that name: "s3://bucket/train-{0000..0146}.tar",
// "{a,b}.csv".
//
// The class folders of all arguments are merged: classes of the same name are one class, and labels number the sorted
// names. Labels of lists are kept. A file whose name begins with @ is written ./@name. Problems of all arguments are
// reported at once.
func Open(ctx context.Context, args []string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.openAll(args); err != nil {
		return nil, err
	}
	return l.listing()
}

// openAll adds the samples that the arguments name.
func (l *lister) openAll(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: nothing to load; give files, folders, patterns or @lists", spool.ErrOptions)
	}
	if err := l.checkLabels(len(args)); err != nil {
		return err
	}
	for i, arg := range args {
		if err := ended(l.ctx, "list", arg); err != nil {
			return err
		}
		l.singlesIn = nil // groups belong to one argument
		l.arguments = append(l.arguments, len(l.groups))
		names, err := ExpandBraces(arg)
		if err != nil {
			l.problems.add(err)
		}
		problems, singles := l.problems.count(), l.singles
		if l.opts.Labels != nil {
			l.label = l.opts.Labels[i]
		}
		for _, name := range names {
			if err := l.argument(name); err != nil {
				return err
			}
		}
		if l.opts.Labels != nil && l.problems.count() == problems && (len(names) != 1 || l.singles != singles+1) {
			l.problems.add(&spool.Error{Op: "list", File: spool.Redacted(arg), Class: spool.ErrUnsupported,
				Text: "is no single file, so it cannot have a label of its own"})
		}
	}
	return nil
}

// checkLabels checks that Options.Labels fits the number of arguments.
func (l *lister) checkLabels(arguments int) error {
	var bad invalid.Options
	switch n := len(l.opts.Labels); {
	case l.opts.Labels == nil:
	case l.roots != nil:
		bad.Values(invalid.Named("Labels"), "records have their labels in columns and fields")
	case n != arguments:
		bad.Values(invalid.Named("Labels"), "there are %d for %d sources: give one for each", n, arguments)
	}
	return bad.Err()
}

// argument adds the samples that an argument names.
func (l *lister) argument(arg string) error {
	if list, ok := strings.CutPrefix(arg, "@"); ok {
		return l.list(list)
	}
	if l.opts.isRemote(arg) {
		return l.url(arg)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return l.folder(files.Local{}, trimSlashes(arg))
	case err == nil && !info.Mode().IsRegular():
		l.problems.add(spool.NotRegular("list", arg, info.Mode()))
	case err == nil:
		return l.file(files.Local{}, arg)
	case hasWildcards(arg) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return l.glob(files.Local{}, "", arg)
	default:
		l.problems.add(spool.FileError("list", arg, err))
	}
	return nil
}

// Files lists files by their names, without checking them, with label -1.
func Files(names ...string) *Listing {
	l := &lister{label: -1}
	for _, name := range names {
		l.single(files.Local{}, name)
	}
	l.seal()
	return newListing(l.groups, nil, Skipped{})
}

// trimSlashes returns "photos" for "photos/", and keeps "/".
func trimSlashes(folder string) string {
	for len(folder) > 1 && folder[len(folder)-1] == '/' {
		folder = folder[:len(folder)-1]
	}
	return folder
}
