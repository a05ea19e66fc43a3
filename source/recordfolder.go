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

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// recordFolder is a folder with a subfolder for each input, whose files are records.
type recordFolder struct {
	fsys    files.System
	base    *Listing // the files of the first required input
	main    int      // that input
	folders []string // of each input, with a slash; empty if there is none
	inputs  []input

	spelling [][]uint16      // of each other input and sample: the number of the extension from 1; 0: none; or two
	spelled  []string        // extensions with their dots
	twice    map[pair]string // files that differ in nothing but the extension
}

// pair is a sample and an input.
type pair struct{ sample, input int }

// two is the number of an extension if a sample has two files of an input.
const two = 1<<16 - 1

// folder adds the records of a folder.
func (r *recordLister) folder(p files.System, root string) error {
	f := &recordFolder{fsys: p, inputs: r.inputs, main: required(r.inputs), folders: make([]string, len(r.inputs)),
		spelling: make([][]uint16, len(r.inputs)), twice: map[pair]string{}}
	if r.files() && !slices.ContainsFunc(r.inputs, func(in input) bool { return subfolder(p, root, &in) != "" }) {
		return r.plain(p, root)
	}
	before := r.problems.count()
	there, err := r.subfolders(p, root)
	if err != nil {
		return err
	}
	for i := range r.inputs {
		in := &r.inputs[i]
		if f.folders[i] = subfolder(p, root, in); f.folders[i] == "" {
			r.lacking(in, root, "no folder is called %s", in.among(there))
		}
	}
	if f.folders[f.main] == "" || r.problems.count() > before {
		if r.problems.count() == before { // all inputs are optional
			r.problems.add(nothing(root, r.opts, Skipped{}))
		}
		return nil
	}
	if err := r.list(f); err != nil || f.base == nil {
		return err
	}
	for i := range r.inputs {
		if i == f.main || f.folders[i] == "" {
			continue
		}
		if err := r.match(f, i); err != nil {
			return err
		}
	}
	r.notices.add(root, r.opts.unusedFolders(there, r.inputs))
	r.addContainer(recordContainer{f})
	return nil
}

// plain adds the files of a folder, each as a sample.
func (r *recordLister) plain(p files.System, root string) error {
	r.roots = nil
	defer func() { r.roots = r }()
	return r.lister.folder(p, root)
}

// subfolders returns the names of the folders in a root, sorted.
func (r *recordLister) subfolders(p files.System, root string) ([]string, error) {
	var there []string
	err := p.Entries(r.ctx, root, func(e fs.DirEntry) {
		if name := e.Name(); name[0] != '.' && isFolder(p, root, e) {
			there = append(there, name)
		}
	})
	if ended := ended(r.ctx, "list", root); ended != nil {
		return nil, ended
	}
	if err != nil {
		r.problems.add(spool.FileError("list", root, err))
	}
	slices.Sort(there)
	return there, nil
}

// subfolder returns the folder of an input, with a slash, or "".
func subfolder(p files.System, root string, in *input) string {
	for _, name := range in.names {
		if info, err := p.Stat(files.Join(root, name)); err == nil && info.IsDir() {
			return files.Prefix(files.Join(root, name))
		}
	}
	return ""
}

// unusedFolders returns a notice about the folders that no input uses.
func (o Options) unusedFolders(there []string, inputs []input) string {
	unused := slices.DeleteFunc(slices.Clone(there), func(name string) bool {
		return o.ignores(name) || slices.ContainsFunc(inputs, func(in input) bool {
			return slices.ContainsFunc(in.names, func(used string) bool {
				return used == name || strings.HasPrefix(used, name+"/")
			})
		})
	})
	if len(unused) == 0 {
		return ""
	}
	return "folders that are not used: " + shown(unused)
}

// list lists the files of the main input. The folder has none afterwards if that was a problem.
func (r *recordLister) list(f *recordFolder) error {
	l, err := newLister(r.ctx, r.opts)
	if err != nil {
		return err
	}
	if err := l.folder(f.fsys, trimSlashes(f.folders[f.main])); err != nil {
		return err
	}
	r.skipped.add(l.skipped)
	if err := l.problems.err(); err != nil {
		r.problems.add(err)
		return nil
	}
	for class := range l.classes {
		r.classes[class] = true
	}
	l.seal()
	f.base = newListing(l.groups, l.classes, Skipped{})
	return nil
}

// match finds the files of another input.
func (r *recordLister) match(f *recordFolder, input int) error {
	in := &r.inputs[input]
	f.spelling[input] = make([]uint16, f.base.n)
	var names []string // of the files in folder
	folder, found, left := "", 0, 0
	for g := range f.base.groups {
		base := &f.base.groups[g]
		if here := f.folders[input] + strings.TrimPrefix(base.folder, f.folders[f.main]); here != folder {
			left += len(names)
			var err error
			if names, err = r.names(f.fsys, here); err != nil {
				return err
			}
			folder = here
		}
		for k := range base.len() {
			sample := f.base.first[g] + k
			fits := sameStem(names, stem(strings.TrimPrefix(base.name(k), base.folder)))
			switch {
			case len(fits) == 0:
				continue
			case len(fits) == 1:
				number := slices.Index(f.spelled, path.Ext(fits[0])) + 1
				if number == 0 {
					f.spelled = append(f.spelled, strings.Clone(path.Ext(fits[0])))
					number = len(f.spelled)
				}
				if number > maxSpelled {
					r.problems.add(refusedIn(folder, "more than %d different extensions", maxSpelled))
					return nil
				}
				f.spelling[input][sample] = uint16(number)
			default:
				f.spelling[input][sample] = two
				f.twice[pair{sample, input}] = strings.Join(fits[:2], " and ")
			}
			found++
			left -= len(fits)
		}
	}
	left += len(names)
	switch {
	case found == 0:
		r.lacking(in, f.folders[input], "no file has the path of one in %s, except for the extension; there are %s",
			spool.Redacted(f.folders[f.main]), cmp.Or(shown(names), "none"))
	case left > 0:
		r.notices.add(f.folders[input], fmt.Sprintf("%d files that belong to no sample of %s", left,
			spool.Redacted(f.folders[f.main])))
	}
	return nil
}

// names returns the names of the files in a folder, sorted. A folder that does not exist has none.
func (r *recordLister) names(p files.System, folder string) ([]string, error) {
	var names []string
	err := p.Entries(r.ctx, trimSlashes(folder), func(e fs.DirEntry) {
		if name := e.Name(); name[0] != '.' && !isFolder(p, trimSlashes(folder), e) {
			names = append(names, name)
		}
	})
	if ended := ended(r.ctx, "list", folder); ended != nil {
		return nil, ended
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.problems.add(spool.FileError("list", folder, err))
	}
	slices.Sort(names)
	return names, nil
}

// stem returns a name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// sameStem returns the names with a stem. They are sorted, so that those which begin with it are together.
func sameStem(names []string, stemmed string) (fits []string) {
	at, _ := slices.BinarySearch(names, stemmed)
	if at < len(names) && names[at] == stemmed && stem(names[at]) == stemmed {
		fits = append(fits, names[at])
	}
	at, _ = slices.BinarySearch(names, stemmed+".")
	for ; at < len(names) && strings.HasPrefix(names[at], stemmed+"."); at++ {
		if stem(names[at]) == stemmed {
			fits = append(fits, names[at])
		}
	}
	return fits
}

func (f *recordFolder) len() int { return f.base.n }

func (f *recordFolder) sizes() []int { return nil }

func (f *recordFolder) damage() error { return nil }

func (f *recordFolder) number(label func(string) int64) {
	for i := range f.base.groups {
		f.base.groups[i].label = label(f.base.groups[i].class)
	}
}

// key returns the path of a sample below the folders of inputs, without extension.
func (f *recordFolder) key(k int) string {
	g, at := f.base.locate(k)
	return stem(strings.TrimPrefix(g.name(at), f.folders[f.main]))
}

// name returns the file of an input, or "".
func (f *recordFolder) name(k, input int) string {
	if input == f.main {
		g, at := f.base.locate(k)
		return g.name(at)
	}
	if f.spelling[input] == nil {
		return ""
	}
	switch number := f.spelling[input][k]; number {
	case 0, two:
		return ""
	default:
		return f.folders[input] + f.key(k) + f.spelled[number-1]
	}
}

func (f *recordFolder) item(k int) Item {
	item := f.base.Item(k)
	for i := range f.inputs {
		if name := f.name(k, i); name != "" {
			item.Name = spool.Redacted(name)
			break
		}
	}
	item.Key = f.key(k)
	return item
}

func (f *recordFolder) openInput(ctx context.Context, k, input int) (spool.Object, error) {
	name, in := f.name(k, input), &f.inputs[input]
	if err := ended(ctx, "open", f.item(k).Name); err != nil {
		return nil, err
	}
	if name != "" {
		return f.fsys.Open(ctx, name)
	}
	folder := f.folders[input]
	if both := f.twice[pair{k, input}]; both != "" {
		return nil, &spool.Error{Op: "open", File: f.item(k).Name, Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("two files fit in %s: %s", spool.Redacted(folder), both)}
	}
	if in.Optional {
		return nil, nil
	}
	return nil, lacks(f.item(k).Name, "there is no file %s%s with any extension", spool.Redacted(folder), f.key(k))
}
