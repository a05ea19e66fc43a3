package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/table"
)

// Manifest lists the samples that the rows of a table name. The formats are .csv and .tsv (RFC 4180, the first row
// names the columns), .jsonl and .ndjson (one object per line), and those of Options.Formats. A file with another
// extension is read as JSON lines if it begins with a brace, and otherwise as CSV. A run's ledger is therefore a
// manifest of its failed samples.
//
// The column Options.Path holds the path. By default it is the first that exists of file, path, filename, image, video
// and audio. The column Options.Label holds the label: an integer from 0 up, or -1 for none. By default it is the first
// that exists of label, target, cls, class, class_name and category. If the first label is a name, all labels are class
// names, which are sorted and numbered together with those of class folders. Other labels, such as 0.5, are an error of
// the listing.
//
// Rows may be segments of video and audio: see Segmented. Their columns are start, start_time or time_start; end,
// end_time or time_end; and stream. Times are seconds, and a stream is its index in the file. A row without a value has
// the file's beginning, its end, or the stream that the loader's options choose. A value of another form is an error of
// its item, and in the first row one of the listing.
//
// Listing.Notices reports the columns that are not used, except those of Options.Ignore. If such columns seem to select
// a part of a video or of audio in another way, as start_frame does, they are an error of the listing.
//
// The column Options.Key, by default key, holds Item.Key. Listing.WriteManifest writes the columns size and etag. With
// these, objects of a Remote are opened without a request for their size and ETag, and reading an object that has
// changed since is an error. Relative paths start where those of a List do. A path may also name an item within another
// file: FILE.tar/MEMBER, or FILE:ROW of a manifest that holds media.
//
// A folder that Hugging Face's datasets have saved (Dataset.save_to_disk) is the tables that its state.json names, if
// Options.Formats has .arrow. A folder with an index of Options.Sets is the data set of that index.
//
// Rows are parsed when they are needed. In text formats only the ends of rows, and the class names, are found when the
// manifest is opened. The file is kept in memory outside Go's heap, and an item takes half a byte in addition. A bad
// row is an error when its item is opened; the item's name is that of the manifest and the row's number, from 1. A
// manifest without rows, or without a path column, is an error of the listing.
func Manifest(ctx context.Context, name string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.manifest(name); err != nil {
		return nil, err
	}
	return l.listing()
}

// isManifest reports whether a name has the extension of a manifest.
func (l *lister) isManifest(name string) bool {
	return table.Known(extension(name)) || l.opts.Formats[extension(name)] != nil || l.opts.isIndex(name)
}

// manifest is a table of samples.
type manifest struct {
	name   string
	rows   table.Rows
	from   base             // start of relative paths
	names  []string         // names of classes, sorted; nil if labels are numbers
	label  map[string]int64 // of each of names
	parts  *partOpener      // opens items within the files that rows name
	remote bool             // one of the first rows names an object of a store

	segments *segments // the parts of files that rows are; nil: rows are whole files
}

// manifest adds the samples that a manifest names.
func (l *lister) manifest(name string) error {
	l.noteRemote(name) // a remote manifest makes the listing remote
	m, err := openManifest(l.ctx, name, l.partOpener(), l.opts.columns())
	if ended := ended(l.ctx, "list", name); ended != nil {
		return ended
	}
	if err != nil {
		l.problems.add(spool.InFile(err, name))
		return nil
	}
	if named, ok := m.rows.(table.Named); ok {
		notice, err := l.opts.unused(named.Names(), l.opts.columns(), nil)
		if err != nil {
			l.problems.add(spool.InFile(err, name))
			return nil
		}
		l.notices.add(name, notice)
	}
	if named, ok := m.rows.(table.Named); ok {
		err := m.findSegments(l.ctx, named.Names(), nil)
		if ended := ended(l.ctx, "list", name); ended != nil {
			return ended
		}
		if err != nil {
			l.problems.add(spool.InFile(err, name))
			return nil
		}
	}
	for _, class := range m.names {
		l.classes[class] = true
	}
	l.remote = l.remote || m.remote
	if l.where.all() {
		l.addContainer(m)
		return nil
	}
	s, err := l.selectedRows(name)
	switch {
	case err != nil:
		return l.refused(name, err)
	case s != nil:
		l.addContainer(selectedManifest{m, s})
	default:
		l.addContainer(m)
	}
	return nil
}

// examinedRows is the number of rows that decide how paths and labels are written.
const examinedRows = 16

// openManifest opens a manifest and reads what the listing needs.
func openManifest(ctx context.Context, name string, w *partOpener, c table.Columns) (*manifest, error) {
	m, err := readManifest(ctx, name, w, c)
	if err != nil {
		return nil, err
	}
	m.from.decided = true
	return m, nil
}

// readManifest opens a manifest and reads its labels. Where relative paths start may not be decided yet.
func readManifest(ctx context.Context, name string, w *partOpener, c table.Columns) (*manifest, error) {
	m := &manifest{name: name, from: base{list: name, opts: w.opts}, parts: w}
	open := func(ctx context.Context) (spool.Object, error) { return w.opts.fileSystem().Open(ctx, name) }
	set, found, err := w.opts.set(ctx, w.opts.fileSystem(), name)
	if err != nil {
		return nil, err
	}
	if found {
		m.rows, err = w.openSet(ctx, set, name, c)
	} else if format := w.opts.Formats[extension(name)]; format != nil {
		m.rows, err = format(ctx, open, c, w.unpacked)
	} else {
		m.rows, err = table.Open(ctx, extension(name), open, c)
	}
	if err != nil {
		return nil, err
	}
	if m.rows.Len() == 0 {
		return nil, &spool.Error{Op: "list", Class: spool.ErrEmpty, Text: "a manifest without rows"}
	}
	if classed, ok := m.rows.(table.Classed); ok {
		m.names = classed.Classes()
	}
	for k := range min(m.rows.Len(), examinedRows) {
		row, err := m.rows.Row(k)
		if errors.Is(err, table.ErrLabel) {
			return nil, m.refuse(k, err)
		}
		if err != nil {
			continue
		}
		if row.Path != "" {
			m.remote = m.remote || w.opts.isRemote(m.from.resolve(row.Path))
		}
		if row.Label != "" && m.names == nil {
			if _, err := parseLabel(row.Label); err == nil {
				break
			}
			if isNumber(row.Label) {
				return nil, m.refuse(k, fmt.Errorf("%w: %.20s", table.ErrLabel, row.Label))
			}
			m.classes()
			break
		}
	}
	return m, nil
}

// refuse returns the error of a table whose label column holds no labels.
func (m *manifest) refuse(k int, err error) error {
	name := "label"
	if named, ok := m.rows.(table.Named); ok {
		names := named.Names()
		if at := table.Index(names, m.parts.opts.columns().Label); at >= 0 {
			name = names[at]
		}
	}
	return &spool.Error{Op: "list", Class: spool.ErrUnsupported, Err: err, Text: fmt.Sprintf(
		"row %d, column %s: %v (source.Options.Ignore with %[2]s loads without labels)", k+1, name, err)}
}

// classes collects the names of all labels.
func (m *manifest) classes() {
	seen := map[string]bool{}
	for label := range m.rows.Labels() {
		if label != "" && !seen[label] {
			seen[strings.Clone(label)] = true
		}
	}
	m.names = make([]string, 0, len(seen))
	for name := range seen {
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
}

func (m *manifest) len() int { return m.rows.Len() }

func (m *manifest) sizes() []int {
	if parted, ok := m.rows.(table.Parted); ok {
		return parted.Sizes()
	}
	return nil
}

func (m *manifest) number(label func(string) int64) {
	m.label = make(map[string]int64, len(m.names))
	for _, name := range m.names {
		m.label[name] = label(name)
	}
}

// row returns row k, which has a path or bytes, and its label as a number.
func (m *manifest) row(k int) (row table.Row, label int64, err error) {
	row, label, err = m.labeled(k)
	switch {
	case err != nil:
		return table.Row{}, -1, err
	case row.Path == "" && !row.Held:
		return table.Row{}, -1, table.ErrNoPath
	}
	return row, label, nil
}

// labeled returns row k, and its label as a number. With an error of the label, the row is as it is written.
func (m *manifest) labeled(k int) (row table.Row, label int64, err error) {
	if row, err = m.rows.Row(k); err != nil {
		return table.Row{}, -1, err
	}
	if strings.IndexByte(row.Path, 0) >= 0 {
		return table.Row{}, -1, errNUL
	}
	if label, err = m.labelNumber(row.Label); err != nil {
		return row, -1, err
	}
	if row.Path != "" {
		row.Path = m.from.resolve(row.Path)
	}
	return row, label, nil
}

// labelNumber returns a label as a number, -1 for none.
func (m *manifest) labelNumber(label string) (int64, error) {
	if label == "" {
		return -1, nil
	}
	if m.names == nil {
		return parseLabel(label)
	}
	if number, ok := m.label[label]; ok {
		return number, nil
	}
	return -1, nil
}

// labels sets labels to those of the items from an item on, if it can without their paths.
func (m *manifest) labels(from int, labels []int64) bool {
	rows, ok := m.rows.(table.Labeled)
	return ok && rows.ReadLabels(from, labels, func(name []byte) int64 {
		if label, ok := m.label[string(name)]; ok {
			return label // without memory for the name
		}
		label, err := m.labelNumber(string(name))
		if err != nil {
			return -1
		}
		return label
	})
}

// at returns the name of row k.
func (m *manifest) at(k int) string { return fmt.Sprintf("%s:%d", spool.Redacted(m.name), k+1) }

func (m *manifest) item(k int) Item { return m.placement(k).Item }

func (m *manifest) placement(k int) Placement {
	row, label, err := m.row(k)
	if err != nil || row.Held {
		row.Path = m.at(k)
	}
	return Placement{Item: Item{Name: spool.Redacted(row.Path), Label: label, Key: row.Key}, Size: row.Size,
		Version: row.Version, Packed: row.Packed, Offset: row.Offset, Length: row.Length}
}

func (m *manifest) packed() bool {
	t, ok := m.rows.(interface{ Packed() bool })
	return ok && t.Packed()
}

func (m *manifest) open(ctx context.Context, k int) (spool.Object, error) {
	o, path, err := m.direct(ctx, k)
	return m.orPart(ctx, path, o, err)
}

// orPart returns the part of a file that a path names, if there is no such file.
func (m *manifest) orPart(ctx context.Context, path string, o spool.Object, err error) (spool.Object, error) {
	if path != "" && errors.Is(err, spool.ErrNotFound) {
		if o, found, inner := m.parts.open(ctx, path); found {
			return o, inner
		}
	}
	return o, err
}

// direct opens a row's own bytes, or the file at its path, which it returns.
func (m *manifest) direct(ctx context.Context, k int) (o spool.Object, path string, err error) {
	if o, err := m.openHeld(ctx, k); o != nil || err != nil {
		return o, "", err
	}
	row, _, err := m.row(k)
	switch {
	case err != nil:
		return nil, "", m.badRow(k, err)
	case row.Path == "":
		return nil, "", &spool.Error{Op: "open", File: m.at(k), Class: spool.ErrEmpty, Text: "neither bytes nor a path"}
	}
	o, err = m.file(ctx, row)
	return o, row.Path, err
}

// badRow returns the error of a row that cannot be read.
func (m *manifest) badRow(k int, err error) error {
	return &spool.Error{Op: "open", File: m.at(k), Class: spool.ErrCorrupt,
		Text: fmt.Sprintf("row %d of the manifest: %v", k+1, err), Err: err}
}

// file opens the file at a row's path.
func (m *manifest) file(ctx context.Context, row table.Row) (spool.Object, error) {
	if err := ended(ctx, "open", row.Path); err != nil {
		return nil, err
	}
	if row.Packed {
		if o, found, err := m.parts.packed(ctx, row); found {
			return o, err
		}
	}
	if m.parts.opts.isRemote(row.Path) {
		return m.parts.opts.Remote.Open(ctx, Entry{URL: row.Path, Size: row.Size, Version: row.Version})
	}
	return files.Local{}.Open(ctx, row.Path)
}

// openHeld opens the bytes that a row holds; nil if it holds none.
func (m *manifest) openHeld(ctx context.Context, k int) (spool.Object, error) {
	media, ok := m.rows.(table.Media)
	if !ok {
		return nil, nil
	}
	if row, err := media.Row(k); err != nil || !row.Held {
		return nil, nil //nolint:nilerr // opening the item reports a row that cannot be read
	}
	if err := ended(ctx, "open", m.at(k)); err != nil {
		return nil, err
	}
	o, err := media.Open(ctx, k)
	return o, spool.InFile(err, m.at(k))
}

// isNumber reports whether a label is a number, and so no class name: "0.5" and "1e3", but not "nan" and "inf".
func isNumber(label string) bool {
	_, err := strconv.ParseFloat(label, 64)
	return err == nil && strings.ContainsAny(label, "0123456789")
}
