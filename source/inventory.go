package source

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteManifest writes the listing as CSV, which Manifest lists again without a look at folders or stores: the same items with
// the same indices and labels. Columns are path, label, key, size and etag; the latter two are what a Remote's listing has said,
// empty for other items. Labels are names of classes, or numbers where names would not say it all: where a class has no item or
// is called like a number, and where a list gave labels of its own.
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
		if e, ok := l.entry(i); ok {
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

// named tells whether names of classes in place of labels would be read as the same labels.
func (l *Listing) named() bool {
	first := slices.IndexFunc(l.head(looked), func(i Item) bool { return i.Label >= 0 })
	if first < 0 || slices.ContainsFunc(l.classes, func(c string) bool { _, err := parseLabel(c); return err == nil }) {
		return false
	}
	seen := make([]bool, len(l.classes))
	for i := range l.groups {
		g := &l.groups[i]
		switch {
		case g.labels != nil:
			return false
		case g.held != nil:
			for k := range g.held.len() {
				if label := g.held.item(k).Label; label >= int64(len(seen)) {
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

// head is the first items.
func (l *Listing) head(n int) []Item {
	items := make([]Item, min(n, l.n))
	for i := range items {
		items[i] = l.Item(i)
	}
	return items
}

// entry is what a store said of item i.
func (l *Listing) entry(i int) (Entry, bool) {
	g, k := l.locate(i)
	s, ok := g.place.(*stored)
	if !ok {
		return Entry{}, false
	}
	at, found := s.at(g.name(k))
	if !found {
		return Entry{}, false
	}
	return s.objects[at], true
}
