package parquet

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// rows implements table.Rows for a file of paths.
type rows struct {
	names            []string
	first            []int // row of each group, and the end
	path, label, key column
}

// media implements table.Media for a file that holds media.
type media struct {
	rows
	open     func(context.Context) (spool.Object, error)
	size     int64 // of the file
	leaf     *leaf
	unpacked *table.Cache
	groups   []group
	chunks   []chunk
}

// group is the positions of the pages of a row group's media, once they have been read.
type group struct {
	mu         sync.Mutex
	pages      []page
	first      []int // row of each page
	dictionary *page
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
	r := rows{names: names(f.leaves), first: make([]int, len(f.groups)+1)}
	for g := range f.groups {
		r.first[g+1] = r.first[g] + int(f.groups[g].NumRows)
	}
	room := u.Limit()
	for _, column := range []struct {
		leaf *leaf
		to   *column
	}{{found.path, &r.path}, {found.label, &r.label}, {found.key, &r.key}} {
		if *column.to, err = f.column(ctx, o, column.leaf, &room); err != nil {
			return nil, err
		}
	}
	if found.media == nil || found.path != nil && f.holdsNone(found.media) {
		return &r, nil
	}
	m := &media{rows: r, open: open, size: f.size, leaf: found.media, unpacked: u, groups: make([]group, len(f.groups)),
		chunks: make([]chunk, len(f.groups))}
	for g := range f.groups {
		if m.chunks[g], err = f.chunk(g, found.media); err != nil {
			return nil, err
		}
	}
	return m, nil
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

// Row returns a row.
func (r *rows) Row(k int) (table.Row, error) {
	group, row := r.locate(k)
	return table.Row{Path: r.path.at(group, row), Label: r.label.at(group, row), Key: r.key.at(group, row)}, nil
}

// Labels yields the labels of all rows.
func (r *rows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		for group := range len(r.first) - 1 {
			for row := range r.first[group+1] - r.first[group] {
				if !yield(r.label.at(group, row)) {
					return
				}
			}
		}
	}
}

// Row returns a row without its media.
func (m *media) Row(k int) (table.Row, error) {
	row, err := m.rows.Row(k)
	row.Held = true
	if m.key == nil {
		row.Key = row.Path
	}
	return row, err
}

// Sizes returns the number of rows of each row group.
func (m *media) Sizes() []int {
	sizes := make([]int, len(m.groups))
	for g := range sizes {
		sizes[g] = m.first[g+1] - m.first[g]
	}
	return sizes
}

// pageKey is a cache key: a page of a file. A page of -1 is the dictionary.
type pageKey struct {
	media       *media
	group, page int
}

// Open returns the bytes of a row's sample, as a part of the page that contains them.
func (m *media) Open(ctx context.Context, k int) (spool.Object, error) {
	number, row := m.locate(k)
	g, err := m.group(ctx, number)
	if err != nil {
		return nil, err
	}
	at := lastUpTo(g.first, row)
	p := g.pages[at]
	data, err := m.contents(ctx, pageKey{m, number, at}, p)
	if err != nil {
		return nil, err
	}
	var dictionary *values
	if g.dictionary != nil && inDictionary(p.encoding) {
		if dictionary, err = m.dictionary(ctx, number, *g.dictionary); err != nil {
			return nil, err
		}
	}
	var v values
	if err := v.decode(m.leaf, p, data, dictionary, m.unpacked.Limit()); err != nil {
		return nil, err
	}
	n := row - g.first[at]
	if !v.has(n) {
		return nil, nil
	}
	if len(v.present) > 0 {
		n = count(v.present[:n])
	}
	return shard.Memory(v.spans[n].of(v.data)), nil
}

// dictionary returns the values that a row group's pages refer to by number.
func (m *media) dictionary(ctx context.Context, number int, p page) (*values, error) {
	data, err := m.contents(ctx, pageKey{m, number, -1}, p)
	if err != nil {
		return nil, err
	}
	words := &values{}
	return words, words.decode(m.leaf, p, data, nil, m.unpacked.Limit())
}

func count(present []bool) (n int) {
	for _, there := range present {
		if there {
			n++
		}
	}
	return n
}

// group reads the page headers of a row group, the first time.
func (m *media) group(ctx context.Context, number int) (*group, error) {
	g := &m.groups[number]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pages != nil {
		return g, nil
	}
	o, err := m.file(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	const step = 1 << 10
	var found group
	rows := 0
	err = m.chunks[number].pages(ctx, o, step, func(p page, _ *window) error {
		if p.dictionary {
			found.dictionary = &p
			return nil
		}
		found.pages, found.first = append(found.pages, p), append(found.first, rows)
		rows += p.values
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.pages, g.first, g.dictionary = found.pages, found.first, found.dictionary
	return g, nil
}

// contents returns the bytes of a page, from the cache or from the file.
func (m *media) contents(ctx context.Context, at pageKey, p page) ([]byte, error) {
	return m.unpacked.Get(ctx, at, func(ctx context.Context) ([]byte, error) {
		o, err := m.file(ctx)
		if err != nil {
			return nil, err
		}
		defer o.Close()
		w := &window{ctx: ctx, object: o, end: p.at + int64(p.compressed)}
		return w.contents(p, m.unpacked.Limit())
	})
}

// file opens the file, whose size must be unchanged.
func (m *media) file(ctx context.Context) (spool.Object, error) {
	o, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	if size := o.Info().Size; size != m.size {
		o.Close()
		return nil, failed(spool.ErrIO, "the file was changed: %d bytes when it was listed, now %d", m.size, size)
	}
	return o, nil
}
