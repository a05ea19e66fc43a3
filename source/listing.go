package source

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
)

// Listing is a Source made of names: what Open, Folder and the others of this package return. An item
// takes the bytes of its name within its folder and four more; Shards and Manifest say what theirs take.
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

// group is items that lie in one place. Their names are kept end to end, without what they share.
type group struct {
	place  place
	folder string  // comes before each name: "photos/cat/", or nothing
	class  string  // of all of them; empty without
	label  int64   // the same as a number
	labels []int64 // of each, where a list gives them; nil: label
	names  []byte
	ends   []uint32 // of each name

	held container // the items, in place of all this, where a file holds them
}

// container is a file that holds items, or names them.
type container interface {
	len() int
	item(k int) Item // but for its ID
	open(ctx context.Context, k int) (spool.Object, error)
	// sizes are of its parts that are best read as a whole; nil where there are none.
	sizes() []int
	// number tells what the labels of classes are that have names.
	number(label func(class string) int64)
}

func (g *group) len() int {
	if g.held != nil {
		return g.held.len()
	}
	return len(g.ends)
}

// maxNames bounds a group, so that uint32 is enough for ends and little is copied while one grows.
const maxNames = 1 << 20

// Len is the number of items.
func (l *Listing) Len() int { return l.n }

// Item describes item i.
func (l *Listing) Item(i int) Item {
	g, k := l.locate(i)
	if g.held != nil {
		item := g.held.item(k)
		item.ID = int64(i)
		return item
	}
	item := Item{ID: int64(i), Name: spool.Shown(g.name(k)), Label: g.label}
	if g.labels != nil {
		item.Label = g.labels[k]
	}
	return item
}

// Open opens item i.
func (l *Listing) Open(ctx context.Context, i int) (spool.Object, error) {
	g, k := l.locate(i)
	if g.held != nil {
		return g.held.open(ctx, k)
	}
	name := g.name(k)
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	return g.place.open(ctx, name)
}

// Remote reports whether items may lie in a store of Options.Remote: an argument, a line of a list, or one of the first rows of a
// manifest is an address of one.
func (l *Listing) Remote() bool { return l.remote }

// Classes are the names of the class folders, sorted; nil without any.
func (l *Listing) Classes() []string { return l.classes }

// Counts is how many items each argument of Open gave, in order: those of the first come first. It is nil of what
// other functions list.
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

// Sizes is how many items there are in each shard, in each part of a manifest that holds media, and in each run of other
// items between: what order.NewShards takes, whose ids are those of the listing then.
func (l *Listing) Sizes() []int {
	var sizes []int
	apart := true // from the group before
	for i := range l.groups {
		var parts []int
		if held := l.groups[i].held; held != nil {
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

// Notices say, a line each, what tables and shards hold that is not loaded.
func (l *Listing) Notices() []string { return l.notices }

// Skipped counts what lay beside the items.
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

// newListing numbers the items of the groups and the classes.
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
		if g.held != nil {
			g.held.number(number)
		}
		l.first[i] = l.n
		l.n += g.len()
	}
	return l
}
