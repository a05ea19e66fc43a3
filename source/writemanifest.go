package source

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteManifest writes the listing as CSV. Manifest lists that file without reading folders or stores, and gives the
// same items with the same indices and labels. The columns are path, label, key, size and etag. Size and etag hold what
// a Remote's listing reported, and are empty for other items.
//
// Labels are written as class names, unless names would lose information. They are written as numbers if a class has no
// item or is called like a number, if a list gave labels, or if none of the first 16 items has a label.
func (l *Listing) WriteManifest(w io.Writer) error {
	rows := csv.NewWriter(w)
	named := l.named()
	if err := rows.Write([]string{"path", "label", "key", "size", "etag"}); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	for i := range l.n {
		item := l.Item(i)
		label := ""
		switch {
		case item.Label < 0:
		case named:
			label = l.classes[item.Label]
		default:
			label = strconv.FormatInt(item.Label, 10)
		}
		row := []string{item.Name, label, item.Key, "", ""}
		if e, ok := l.Entry(i); ok {
			row[3], row[4] = strconv.FormatInt(e.Size, 10), e.Version
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

// head returns the first n items.
func (l *Listing) head(n int) []Item {
	items := make([]Item, min(n, l.n))
	for i := range items {
		items[i] = l.Item(i)
	}
	return items
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
