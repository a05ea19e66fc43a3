package source

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/table"
)

// lister collects the names of a Listing, group by group.
type lister struct {
	ctx       context.Context
	opts      Options
	wanted    map[string]bool // extensions
	groups    []group
	singlesIn files.System // of the last group, if its files were named one by one
	singles   int          // files that were named one by one
	label     int64        // of these
	classes   map[string]bool
	skipped   Skipped
	notices   fileNotices
	problems  problems
	shards    []*shardFile // to be scanned
	parts     *partOpener
	remote    bool // a given name is a URL
	unnamed   bool // classes have no labels
	roots     roots
	where     where

	arguments []int // the first group of each argument of Open
}

// roots takes the folders, shards and tables that arguments name, in place of a lister.
type roots interface {
	folder(p files.System, root string) error
	shard(name string)
	table(name string) error
	files() bool // other files, and those of lists, are samples as for a lister
}

func newLister(ctx context.Context, o Options) (*lister, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := &lister{ctx: ctx, opts: o, where: o.where(), wanted: map[string]bool{}, classes: map[string]bool{}, label: -1}
	l.skipped.Extensions = map[string]int{}
	for _, e := range o.wanted() {
		l.wanted[e] = true
	}
	return l, nil
}

// start begins a group with the given file system, folder and class.
func (l *lister) start(g group) {
	l.push(g)
	l.singlesIn = nil
}

func (l *lister) push(g group) {
	l.seal()
	l.groups = append(l.groups, g)
}

// file adds a file, or the samples of a shard or manifest; the extension decides.
func (l *lister) file(p files.System, name string) error {
	switch {
	case !l.isManifest(name) && l.refuses(name):
		return nil
	case l.roots != nil && IsShard(name):
		l.roots.shard(name)
		return nil
	case l.roots != nil && l.isManifest(name):
		return l.roots.table(name)
	case l.roots != nil && !l.roots.files():
		l.problems.add(noRecords(name))
		return nil
	case IsShard(name):
		l.shard(name)
		return nil
	case l.isManifest(name):
		return l.manifest(name)
	}
	l.single(p, name)
	return nil
}

// noteRemote records whether a name is a URL.
func (l *lister) noteRemote(name string) { l.remote = l.remote || l.opts.isRemote(name) }

const defaultUnpacked = 1 << 30

// partOpener returns the opener of parts of files, one for the whole listing.
func (l *lister) partOpener() *partOpener {
	if l.parts == nil {
		l.parts = &partOpener{opts: l.opts, unpacked: table.NewCache(cmp.Or(l.opts.Unpacked, defaultUnpacked)),
			files: map[string]*indexedFile{}}
	}
	return l.parts
}

// addContainer adds the items of a container.
func (l *lister) addContainer(c container) { l.start(group{container: c}) }

// together calls each for the numbers below n, several at a time.
func (l *lister) together(n int, each func(i int)) {
	most := 8
	if l.remote { // most of the time is spent waiting for responses
		most = 16
	}
	slots := make(chan struct{}, most)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			each(i)
		})
	}
	all.Wait()
}

// single adds a file that was named by itself.
func (l *lister) single(p files.System, name string) {
	if l.singlesIn != p {
		l.start(group{fsys: p})
		l.singlesIn = p
	}
	l.singles++
	l.add(name, l.label)
}

// add appends a name to the last group.
func (l *lister) add(name string, label int64) {
	g := &l.groups[len(l.groups)-1]
	if len(g.ends) > 0 && len(g.names)+len(name) > maxNames {
		l.push(group{fsys: g.fsys, folder: g.folder, class: g.class})
		g = &l.groups[len(l.groups)-1]
	}
	g.names = append(g.names, name...)
	g.ends = append(g.ends, uint32(len(g.names)))
	if label >= 0 && g.labels == nil {
		g.labels = slices.Repeat([]int64{-1}, len(g.ends)-1)
	}
	if g.labels != nil {
		g.labels = append(g.labels, label)
	}
}

// seal frees the spare capacity of the last group.
func (l *lister) seal() {
	if n := len(l.groups); n > 0 {
		g := &l.groups[n-1]
		g.names, g.ends, g.labels = slices.Clone(g.names), slices.Clone(g.ends), slices.Clone(g.labels)
	}
}

// listing returns the result, or the problems as an error.
func (l *lister) listing() (*Listing, error) {
	if err := l.scan(); err != nil {
		return nil, err
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	l.seal()
	if l.unnamed {
		l.classes = nil
	}
	listing := newListing(l.groups, l.classes, l.skipped)
	listing.arguments, listing.remote, listing.notices = l.arguments, l.remote, l.notices.lines()
	return listing, nil
}
