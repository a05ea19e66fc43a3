package source

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
)

// Listing is a Source of names. Open, Folder and the other functions of this package return it. An item takes the bytes
// of its name within its folder, and four more; Shards and Manifest document what theirs take.
type Listing struct {
	groups  []group
	first   []int // index of each group's first item
	n       int
	classes []string
	skipped Skipped
	remote  bool
	notices []string

	arguments []int // the first group of each argument of Open
}

// group is items of one file system. Their names are stored end to end, without their common folder.
type group struct {
	fsys   files.System
	folder string  // precedes each name: "photos/cat/", or empty
	class  string  // of all items; empty without
	label  int64   // the class as a number
	labels []int64 // labels of the items, if a list gives them; nil: all have label
	names  []byte
	ends   []uint32 // the end of each name

	container container // if a file holds the items; the other fields are then unused
}

// container is a file that holds samples, or names them.
type container interface {
	len() int
	item(k int) Item // without its ID
	open(ctx context.Context, k int) (spool.Object, error)
	// sizes counts the samples of each part that is best read as a whole; nil if there are no such parts.
	sizes() []int
	// number sets the labels of named classes.
	number(label func(class string) int64)
}

// segmented are the samples of a container or of records that may be parts of files.
type segmented interface {
	segment(ctx context.Context, k int) (*Segment, error)
}

func (g *group) len() int {
	if g.container != nil {
		return g.container.len()
	}
	return len(g.ends)
}

// maxNames bounds the bytes of a group's names, so that uint32 suffices for ends and growing copies little.
const maxNames = 1 << 20

// Len returns the number of items.
func (l *Listing) Len() int { return l.n }

// Item describes item i.
func (l *Listing) Item(i int) Item {
	g, k := l.locate(i)
	if g.container != nil {
		item := g.container.item(k)
		item.ID = int64(i)
		return item
	}
	return Item{ID: int64(i), Name: spool.Redacted(g.name(k)), Label: g.labelOf(k)}
}

// Labels sets labels to those of the items from item i on. It is faster than Item where it need not read names: in
// tables that package arrow wrote.
func (l *Listing) Labels(i int, labels []int64) {
	for len(labels) > 0 {
		g, k := l.locate(i)
		n := min(g.len()-k, len(labels))
		g.readLabels(k, labels[:n])
		i, labels = i+n, labels[n:]
	}
}

// readLabels sets labels to those of a group's items from item k on.
func (g *group) readLabels(k int, labels []int64) {
	if c, ok := g.container.(interface{ labels(int, []int64) bool }); ok && c.labels(k, labels) {
		return
	}
	for i := range labels {
		labels[i] = g.labelOf(k + i)
	}
}

// labelOf returns the label of an item.
func (g *group) labelOf(k int) int64 {
	switch {
	case g.container != nil:
		return g.container.item(k).Label
	case g.labels != nil:
		return g.labels[k]
	}
	return g.label
}

// Open opens item i.
func (l *Listing) Open(ctx context.Context, i int) (spool.Object, error) {
	g, k := l.locate(i)
	if g.container != nil {
		return g.container.open(ctx, k)
	}
	name := g.name(k)
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	return g.fsys.Open(ctx, name)
}

// Segment returns the part of its file that item i is, or nil: see Segmented.
func (l *Listing) Segment(ctx context.Context, i int) (*Segment, error) {
	g, k := l.locate(i)
	if c, ok := g.container.(segmented); ok {
		return c.segment(ctx, k)
	}
	return nil, nil
}

// Remote reports whether items may be in a store of Options.Remote: whether an argument, a line of a list, or one of
// the first 16 rows of a manifest is a URL.
func (l *Listing) Remote() bool { return l.remote }

// Classes returns the names of class folders and of a manifest's classes, sorted; nil if there are none.
func (l *Listing) Classes() []string { return l.classes }

// Counts returns the number of items of each argument of Open. Items have the order of the arguments. It is nil for a
// listing that another function made.
func (l *Listing) Counts() []int {
	if l.arguments == nil {
		return nil
	}
	counts := make([]int, len(l.arguments))
	end := l.n
	for a := len(counts) - 1; a >= 0; a-- {
		begin := end
		if g := l.arguments[a]; g < len(l.first) {
			begin = l.first[g]
		}
		counts[a], end = end-begin, begin
	}
	return counts
}

// Sizes returns the number of items of each shard, of each part of a manifest that holds media, and of each run of
// other items in between. Pass it to order.NewShards, whose ids are then those of the listing.
func (l *Listing) Sizes() []int {
	var sizes []int
	apart := true // the next group begins a new run
	for i := range l.groups {
		var parts []int
		if held := l.groups[i].container; held != nil {
			parts = held.sizes()
		}
		switch {
		case parts != nil:
			sizes = append(sizes, parts...)
		case apart:
			sizes = append(sizes, l.groups[i].len())
		default:
			sizes[len(sizes)-1] += l.groups[i].len()
		}
		apart = parts != nil
	}
	return sizes
}

// Notices returns lines that report what tables and shards hold that is not loaded.
func (l *Listing) Notices() []string { return l.notices }

// Damage returns the errors of shards that are damaged or too large, or nil. Each is also the error of the shard's last
// item; see Shards. It does no I/O.
func (l *Listing) Damage() error {
	var found problems
	for i := range l.groups {
		if f, ok := l.groups[i].container.(interface{ damage() error }); ok {
			if err := f.damage(); err != nil {
				found.add(err)
			}
		}
	}
	return found.err()
}

// Skipped counts the files and rows that were seen and not listed.
func (l *Listing) Skipped() Skipped { return l.skipped }

func (l *Listing) locate(i int) (*group, int) {
	if i < 0 || i >= l.n {
		panic(fmt.Sprintf("source: index %d out of range [0, %d)", i, l.n))
	}
	at := sort.SearchInts(l.first, i+1) - 1
	return &l.groups[at], i - l.first[at]
}

func (g *group) name(k int) string {
	start := uint32(0)
	if k > 0 {
		start = g.ends[k-1]
	}
	return g.folder + string(g.names[start:g.ends[k]])
}

// newListing assigns indices to the items and labels to the classes.
func newListing(groups []group, classes map[string]bool, skipped Skipped) *Listing {
	l := &Listing{groups: slices.Clip(groups), first: make([]int, len(groups)), skipped: skipped}
	for class := range classes {
		l.classes = append(l.classes, class)
	}
	slices.Sort(l.classes)
	number := func(class string) int64 {
		if label, ok := slices.BinarySearch(l.classes, class); ok {
			return int64(label)
		}
		return -1
	}
	for i := range l.groups {
		g := &l.groups[i]
		g.label = number(g.class)
		if g.container != nil {
			g.container.number(number)
		}
		l.first[i] = l.n
		l.n += g.len()
	}
	return l
}
