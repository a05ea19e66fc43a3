package parquet

import (
	"context"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// rows implements table.Rows for a file of paths.
type rows struct {
	names            []string
	first            []int   // row of each group, and the end
	path, label, key *column // nil without one
	held             bool    // the file holds the media, too, and paths only say where they came from
}

// media implements table.Media for a file that holds media.
type media struct {
	rows
	reader *reader
	chunks []chunk // of each row group
}

// Open reads the rows of a file. It is a table.Format.
func Open(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	f, err := readFooter(ctx, o)
	if err != nil {
		return nil, err
	}
	found, err := find(f.leaves, c)
	if err != nil {
		return nil, err
	}
	r := rows{names: names(f.columns), first: make([]int, len(f.groups)+1)}
	for g := range f.groups {
		r.first[g+1] = r.first[g] + int(f.groups[g].NumRows)
	}
	own := newReader(open, f.size, u.Rows())
	own.terse = true
	room, held := u.Limit(), o.Info().Path == ""
	for _, column := range []struct {
		leaf *leaf
		to   **column
	}{{found.path, &r.path}, {found.label, &r.label}, {found.key, &r.key}} {
		if *column.to, err = f.column(ctx, o, column.leaf, own, held, &room); err != nil {
			return nil, err
		}
	}
	r.held = found.media != nil && (found.path == nil || !f.holdsNone(found.media))
	reader := newReader(open, f.size, u)
	switch {
	case c.Cells:
		return newCells(r, reader, own, f), nil
	case !r.held:
		return &r, nil
	}
	m := &media{rows: r, reader: reader, chunks: f.chunks(found.media)}
	for _, x := range m.chunks {
		if x.err != nil {
			return nil, x.err
		}
	}
	return m, nil
}

// chunks returns the chunks of a leaf, one for each row group.
func (f *footer) chunks(l *leaf) []chunk {
	if chunks, known := f.chunked[l]; known {
		return chunks
	}
	chunks := make([]chunk, len(f.groups))
	for g := range f.groups {
		x, err := f.chunk(g, l)
		x.err = err
		chunks[g] = x
	}
	f.chunked[l] = chunks
	return chunks
}

// holdsNone reports whether the statistics show that all values of a leaf are missing.
func (f *footer) holdsNone(l *leaf) bool {
	return !slices.ContainsFunc(f.groups, func(g format.RowGroup) bool {
		m := &g.Columns[l.index].MetaData
		return m.Statistics.NullCount != m.NumValues
	})
}

// Names returns the names of the columns, each once.
func (r *rows) Names() []string { return r.names }

// Len returns the number of rows.
func (r *rows) Len() int { return r.first[len(r.first)-1] }

// locate returns the row group of a row, and the row's index in it.
func (r *rows) locate(k int) (group, row int) {
	group = lastUpTo(r.first, k)
	return group, k - r.first[group]
}

// lastUpTo returns the last index in a sorted list whose number is at most k. If several groups begin at
// that number, all but the last one are empty.
func lastUpTo(first []int, k int) int {
	at, _ := slices.BinarySearch(first, k+1)
	return at - 1
}

// Row returns a row without its media.
func (r *rows) Row(k int) (table.Row, error) {
	group, row := r.locate(k)
	x := table.Row{Held: r.held}
	for _, value := range []struct {
		column *column
		to     *string
	}{{r.path, &x.Path}, {r.label, &x.Label}, {r.key, &x.Key}} {
		var err error
		if *value.to, err = value.column.at(group, row); err != nil {
			return table.Row{}, err
		}
	}
	if r.held && r.key == nil {
		x.Key = x.Path
	}
	return x, nil
}

// sizes returns the number of rows of each row group.
func (r *rows) sizes() []int {
	sizes := make([]int, len(r.first)-1)
	for g := range sizes {
		sizes[g] = r.first[g+1] - r.first[g]
	}
	return sizes
}

// Sizes returns the number of rows of each row group.
func (m *media) Sizes() []int { return m.sizes() }

// Open returns the bytes of a row's sample, as a part of the page that contains them.
func (m *media) Open(ctx context.Context, k int) (spool.Object, error) {
	group, row := m.locate(k)
	p, entry, err := m.reader.value(ctx, &m.chunks[group], row)
	if err != nil {
		return nil, err
	}
	i := p.index(entry)
	if i < 0 {
		return nil, nil
	}
	return shard.Memory(p.spans[i].of(p.data)), nil
}
