package source

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spoolmedia/spool/source/shard"
)

// WriteManifest writes the listing as CSV. Manifest lists that file without reading folders or stores, and gives the
// same items with the same indices and labels. The columns are path, label, key, size and etag. Size and etag hold what
// a Remote's listing reported, and are empty for other items. If some items are segments of files, further columns are
// start, end and stream.
//
// Labels are written as class names, unless names would lose information. They are written as numbers if a class has no
// item or is called like a number, if a list gave labels, or if none of the first 16 items has a label.
func (l *Listing) WriteManifest(w io.Writer) error {
	rows := csv.NewWriter(w)
	named := l.named()
	header, segmented := []string{"path", "label", "key", "size", "etag"}, l.Segmented()
	if segmented {
		header = append(header, "start", "end", "stream")
	}
	if err := rows.Write(header); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	for i := range l.n {
		item := l.Placement(i)
		label := ""
		switch {
		case item.Label < 0:
		case named:
			label = l.classes[item.Label]
		default:
			label = strconv.FormatInt(item.Label, 10)
		}
		row := []string{item.Name, label, item.Key, "", ""}
		if (item.Size > 0 || item.Version != "") && !item.Packed {
			row[3], row[4] = strconv.FormatInt(item.Size, 10), item.Version
		}
		if segmented {
			part, err := l.Segment(context.Background(), i)
			if err != nil {
				return fmt.Errorf("write manifest: %w", err)
			}
			row = append(row, part.row()...)
		}
		if err := rows.Write(row); err != nil {
			return fmt.Errorf("write manifest: %w", err)
		}
	}
	rows.Flush()
	if err := rows.Error(); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return nil
}

// Segmented reports whether items may be segments of files: see Segment.
func (l *Listing) Segmented() bool {
	return slices.ContainsFunc(l.groups, func(g group) bool {
		var of any = g.container
		if c, ok := of.(recordContainer); ok {
			of = c.records
		}
		switch c := of.(type) {
		case *manifest:
			return c.segments != nil
		case selectedManifest:
			return c.segments != nil
		case *recordTable:
			return c.segments != nil
		case selectedRecords:
			return c.segments != nil
		}
		return false
	})
}

// row returns the columns start, end and stream of a segment, which may be nil.
func (s *Segment) row() []string {
	row := []string{"", "", ""}
	if s == nil {
		return row
	}
	for i, t := range []float64{s.Start, s.End} {
		if !math.IsInf(t, 0) {
			row[i] = strconv.FormatFloat(t, 'g', -1, 64)
		}
	}
	if s.Stream != nil {
		row[2] = strconv.Itoa(*s.Stream)
	}
	return row
}

// named reports whether a manifest with class names as labels is read with the same labels.
func (l *Listing) named() bool {
	first := slices.IndexFunc(l.head(examinedRows), func(i Item) bool { return i.Label >= 0 })
	if first < 0 || slices.ContainsFunc(l.classes, func(c string) bool { _, err := parseLabel(c); return err == nil }) {
		return false
	}
	seen := make([]bool, len(l.classes))
	for i := range l.groups {
		g := &l.groups[i]
		switch {
		case g.labels != nil:
			return false
		case g.container != nil:
			for k := range g.container.len() {
				if label := g.container.item(k).Label; label >= int64(len(seen)) {
					return false
				} else if label >= 0 {
					seen[label] = true
				}
			}
		case g.label >= 0:
			seen[g.label] = true
		}
	}
	return !slices.Contains(seen, false)
}

// LabelsAreClasses reports whether every label is the index of its name in Classes. Labels of lists, and those that
// manifests and shards write as numbers, are not.
func (l *Listing) LabelsAreClasses() bool {
	return l.classes != nil && !slices.ContainsFunc(l.groups, func(g group) bool {
		switch c := g.container.(type) {
		case nil:
			return g.labels != nil
		case *manifest:
			return c.names == nil
		case selectedManifest:
			return c.names == nil
		case *shardFile:
			return slices.ContainsFunc(c.members, func(m member) bool { return m.label >= 0 })
		}
		return true
	})
}

// head returns the first n items.
func (l *Listing) head(n int) []Item {
	items := make([]Item, min(n, l.n))
	for i := range items {
		items[i] = l.Item(i)
	}
	return items
}

// Placement is an item, and where its bytes are.
type Placement struct {
	Item
	// Size and Version are those of the file or object that holds the bytes, as a store's listing reported them, a table
	// has them, or a shard was when it was listed. Version is empty if they are unknown.
	Size    int64
	Version string
	// Packed says that the bytes are those from Offset to Offset + Length of an uncompressed shard, whose name is the
	// first part of Name.
	Packed         bool
	Offset, Length int64
}

// Placement describes item i and where its bytes are. It does no I/O.
func (l *Listing) Placement(i int) Placement {
	g, k := l.locate(i)
	if c, ok := g.container.(interface{ placement(k int) Placement }); ok {
		p := c.placement(k)
		p.ID = int64(i)
		return p
	}
	p := Placement{Item: l.Item(i)}
	if e, ok := l.Entry(i); ok {
		p.Size, p.Version = e.Size, e.Version
	}
	return p
}

func (f *shardFile) packed() bool { return f.compression == shard.None }

func (f *shardFile) placement(k int) Placement {
	p := Placement{Item: f.item(k)}
	if f.packed() && f.version != "" && f.bad[k] == nil {
		p.Size, p.Version, p.Packed = f.size, f.version, true
		p.Offset, p.Length = f.members[k].offset, f.members[k].size
	}
	return p
}

// Packed reports whether items may be parts of uncompressed shards: see Placement.
func (l *Listing) Packed() bool {
	return slices.ContainsFunc(l.groups, func(g group) bool {
		c, ok := g.container.(interface{ packed() bool })
		return ok && c.packed()
	})
}

// Entry returns what a store's listing reported for item i. It is false for items that are in no store, for members of
// shards and for media in manifests, and if a list named the item without a listing.
func (l *Listing) Entry(i int) (Entry, bool) {
	g, k := l.locate(i)
	s, ok := g.fsys.(*remoteListing)
	if !ok {
		return Entry{}, false
	}
	at, found := s.at(g.name(k))
	if !found {
		return Entry{}, false
	}
	return s.objects[at], true
}
