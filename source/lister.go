package source

import (
	"cmp"
	"context"
	"slices"
)

// lister gathers the names of a Listing, group by group.
type lister struct {
	ctx      context.Context
	opts     Options
	wanted   map[string]bool // extensions
	groups   []group
	singles  place // of the last group, if that is one of single files
	classes  map[string]bool
	skipped  Skipped
	remarks  remarks
	problems problems
	shards   []*shardFile // to be scanned
	inner    *within
	remote   bool // a name that was given is an address
	unnamed  bool // classes have no labels

	arguments []int // the first group of each argument of Open
}

func newLister(ctx context.Context, o Options) (*lister, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := &lister{ctx: ctx, opts: o, wanted: map[string]bool{}, classes: map[string]bool{}}
	l.skipped.Kinds = map[string]int{}
	for _, e := range o.wanted() {
		l.wanted[e] = true
	}
	return l, nil
}

// start begins a group of the given place, folder and class.
func (l *lister) start(g group) {
	l.push(g)
	l.singles = nil
}

func (l *lister) push(g group) {
	l.seal()
	l.groups = append(l.groups, g)
}

// file adds what a file holds, or the file itself: by its extension.
func (l *lister) file(p place, name string) error {
	switch {
	case IsShard(name):
		l.shard(name)
		return nil
	case l.isManifest(name):
		return l.manifest(name)
	}
	l.single(p, name)
	return nil
}

// notice looks whether a name is an address.
func (l *lister) notice(name string) { l.remote = l.remote || l.opts.isRemote(name) }

const defaultUnpacked = 1 << 30

// within is what opens the parts of files, one for the whole listing.
func (l *lister) within() *within {
	if l.inner == nil {
		l.inner = &within{opts: l.opts, unpacked: NewUnpacked(cmp.Or(l.opts.Unpacked, defaultUnpacked)), files: map[string]*opened{}}
	}
	return l.inner
}

// hold adds the items that a file holds.
func (l *lister) hold(c container) { l.start(group{held: c}) }

// single adds a file that was named by itself.
func (l *lister) single(p place, name string) {
	if l.singles != p {
		l.start(group{place: p})
		l.singles = p
	}
	l.add(name, -1)
}

// add puts a name into the group that was started last.
func (l *lister) add(name string, label int64) {
	g := &l.groups[len(l.groups)-1]
	if len(g.ends) > 0 && len(g.names)+len(name) > maxNames {
		l.push(group{place: g.place, folder: g.folder, class: g.class})
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

// seal gives up the room that the last group had to grow.
func (l *lister) seal() {
	if n := len(l.groups); n > 0 {
		g := &l.groups[n-1]
		g.names, g.ends, g.labels = slices.Clone(g.names), slices.Clone(g.ends), slices.Clone(g.labels)
	}
}

// listing is the result, unless there were problems.
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
	listing.arguments, listing.remote, listing.notices = l.arguments, l.remote, l.remarks.notices()
	return listing, nil
}
