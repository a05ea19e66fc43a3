package arrow

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// rows implements table.Rows for a file of paths.
type rows struct {
	*contents
	reader           *reader
	path, label, key *column // nil without one
	size, version    *column // the same
	offset, length   *column // the same
	held             bool    // the file holds the media, too, and paths only say where they came from
}

// media implements table.Media for a file that holds media.
type media struct {
	rows
	bytes *field
}

// Open reads the headers of a file. It is a table.Format.
func Open(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	all, err := scan(ctx, o, u.Limit())
	if err != nil {
		return nil, err
	}
	found, err := all.find(c)
	if err != nil {
		return nil, err
	}
	r := rows{contents: all, reader: &reader{open: open, size: o.Info().Size, cache: u, mapping: mapped(o)}}
	room := u.Limit()
	in := r.reader.file(ctx)
	defer in.Close()
	for _, x := range []struct {
		field *field
		to    **column
	}{{found.path, &r.path}, {found.label, &r.label}, {found.key, &r.key}, {found.size, &r.size},
		{found.version, &r.version}, {found.offset, &r.offset}, {found.length, &r.length}} {
		if x.field != nil {
			if *x.to, err = all.column(in, x.field, &room); err != nil {
				return nil, err
			}
		}
	}
	r.held = found.media != nil && (found.path == nil || !all.holdsNone(found.media))
	switch {
	case c.Cells:
		return newCells(r), nil
	case !r.held && all.sizes != nil:
		return &parted{r}, nil
	case !r.held:
		return &r, nil
	}
	return &media{r, found.media}, nil
}

// parted implements table.Parted for a table of several shards.
type parted struct{ rows }

// Sizes returns the number of rows of each shard.
func (p *parted) Sizes() []int { return p.sizes }

// found is the columns that rows have; nil if missing.
type found struct{ path, media, label, key, size, version, offset, length *field }

// find finds the columns.
func (c *contents) find(wanted table.Columns) (x found, err error) {
	byName := map[string]*field{}
	for _, column := range c.columns {
		column.walk(func(f *field) {
			if byName[f.name] == nil {
				byName[f.name] = f
			}
		})
	}
	for _, name := range wanted.Path {
		f := byName[strings.ToLower(name)]
		if f == nil {
			continue
		}
		if x.media, x.path = f.media(); x.media == nil {
			if x.media = f; f.cellType() == table.Text {
				x.media, x.path = nil, f
			}
		}
		break
	}
	first := func(names []string) *field {
		for _, name := range names {
			if f := byName[strings.ToLower(name)]; f != nil {
				return f
			}
		}
		return nil
	}
	x.label, x.key = first(wanted.Label), first(wanted.Key)
	if c.ours { // in other tables, these names may mean anything
		x.size, x.version = first(wanted.Size), first(wanted.Version)
		x.offset, x.length = byName[offsetColumn], byName[lengthColumn]
	}
	switch {
	case wanted.Cells && (x.media == nil || x.media.cellType() != table.Bytes || x.path == nil):
		x.media = nil
	case !wanted.Cells && x.path == nil && x.media == nil:
		return found{}, corrupt("no column of the manifest is called %s; there are %.200s", strings.Join(wanted.Path, ", "),
			strings.Join(c.names(), ", "))
	}
	return x, x.check()
}

// check refuses columns of unsuitable types.
func (x *found) check() error {
	for _, f := range []*field{x.media, x.label, x.key, x.size, x.version, x.offset, x.length} {
		if f == nil {
			continue
		}
		kind := f.cellType()
		if f == x.media && kind == table.Bytes && f.kind != structure ||
			f != x.media && (kind == table.Text || f.kind == integer || f.kind == null) {
			continue
		}
		err := &spool.Error{Op: "read", Class: spool.ErrUnsupported, Text: fmt.Sprintf("column %s is neither text nor "+
			"integers, or for media not binary (source.Options.Ignore with %[1]s leaves it out)", f.name)}
		if f == x.label {
			err.Err = table.ErrLabel
		}
		return err
	}
	return nil
}

// names returns the names of columns in lower case.
func (c *contents) names() []string {
	var names []string
	for _, f := range c.columns {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// Names returns the names of the columns, each once, without those that a table of ours has for other uses.
func (r *rows) Names() []string {
	return slices.DeleteFunc(r.names(), func(name string) bool {
		return r.ours && (name == offsetColumn || name == lengthColumn || slices.Contains(r.further, name))
	})
}

// Packed reports whether rows may be parts of shards.
func (r *rows) Packed() bool { return r.offset != nil && r.length != nil }

// Len returns the number of rows.
func (r *rows) Len() int { return r.contents.rows() }

// Row returns a row without its media.
func (r *rows) Row(k int) (table.Row, error) {
	x := table.Row{Held: r.held}
	var size, offset, length string
	for _, value := range []struct {
		column *column
		to     *string
	}{{r.path, &x.Path}, {r.label, &x.Label}, {r.key, &x.Key}, {r.size, &size}, {r.version, &x.Version},
		{r.offset, &offset}, {r.length, &length}} {
		var err error
		if *value.to, err = value.column.at(k); err != nil {
			return table.Row{}, err
		}
	}
	if r.held && r.key == nil {
		x.Key = x.Path
	}
	if size != "" && x.Version != "" {
		x.Size, _ = strconv.ParseInt(size, 10, 64) // an integer of the file
	}
	if x.Size > 0 && offset != "" && length != "" {
		var wrong, bad error
		x.Offset, wrong = strconv.ParseInt(offset, 10, 64)
		x.Length, bad = strconv.ParseInt(length, 10, 64)
		x.Packed = wrong == nil && bad == nil
	}
	return x, nil
}

// Classes returns the names of classes that the file itself gives for its labels, or nil.
func (r *rows) Classes() []string {
	if r.label == nil || r.label.x.name != labelColumn {
		return nil
	}
	return r.classes
}

// Sizes returns the number of rows of each record batch.
func (m *media) Sizes() []int {
	sizes := make([]int, len(m.batches))
	for i := range sizes {
		sizes[i] = m.batches[i].rows
	}
	return sizes
}

// Open returns the bytes of a row's sample, as a part of the file.
func (m *media) Open(ctx context.Context, k int) (spool.Object, error) {
	in := m.reader.file(ctx)
	defer in.Close()
	b, i := m.locate(k)
	for f := m.bytes; f != nil; f = f.within {
		if there, err := in.valid(b, f, i); err != nil || !there {
			return nil, err
		}
	}
	buffer, from, to, err := in.place(b, m.bytes, i)
	if err != nil {
		return nil, err
	}
	o, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	in.object = nil // its new owner closes it
	return shard.Open(o, shard.Member{Offset: buffer.at + from, Size: to - from}), nil
}
