// Package held makes tables of the samples that a data set's own files hold, for packages tfrecord, mds and litdata.
//
// A [File] has named values of each sample, at known places. [Open] finds the columns of media, labels, keys and paths
// among them, and keeps labels, keys and paths in memory: their text, and 8 bytes for each. Everything else is read
// when it is needed, in any order.
//
// Rows are safe for concurrent use if the File is.
package held

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// File holds samples.
type File interface {
	// Columns describes the values of a sample. Media are of type table.Bytes.
	Columns() []table.Column
	// Sizes returns the number of samples of each part that is best read as a whole.
	Sizes() []int
	// Begin returns a reader, which the caller closes. Its caller may announce that it reads the samples in their order.
	Begin(ctx context.Context, inOrder bool) Reader
}

// Reader reads values. It is used by one goroutine.
type Reader interface {
	// Cell returns a value of sample k. Callers must not change its data.
	Cell(k, column int) (table.Cell, error)
	// Open returns the bytes of a value as an object, or nil if the sample lacks it.
	Open(k, column int) (spool.Object, error)
	Close()
}

// Open returns the samples as rows, which are table.Cells or table.Media. It keeps at most limit bytes.
func Open(ctx context.Context, f File, c table.Columns, limit int64) (table.Rows, error) {
	r := &rows{file: f, columns: f.Columns(), first: []int{0}}
	for _, n := range f.Sizes() {
		r.first = append(r.first, r.Len()+n)
	}
	if err := r.find(ctx, c, limit); err != nil {
		return nil, err
	}
	switch {
	case c.Cells:
		return &cells{r}, nil
	case r.media < 0:
		return r, nil
	}
	return &media{r}, nil
}

// rows implements table.Rows.
type rows struct {
	file             File
	columns          []table.Column
	first            []int // of each part, and the end
	media            int   // column; -1: samples are at their paths
	path, label, key *text
}

// cells implements table.Cells, and media table.Media.
type (
	cells struct{ *rows }
	media struct{ *rows }
)

// index returns the first of the wanted columns that exists and is accepted, or -1.
func (r *rows) index(wanted []string, accepts func(table.Column) bool) int {
	for _, name := range wanted {
		at := slices.IndexFunc(r.columns, func(c table.Column) bool { return strings.EqualFold(c.Name, name) && accepts(c) })
		if at >= 0 {
			return at
		}
	}
	return -1
}

func isBytes(c table.Column) bool { return c.Type == table.Bytes }

// isWord reports whether values are text or numbers, as paths, labels and keys are.
func isWord(c table.Column) bool { return c.Type == table.Text || c.Type == table.Number }

// find finds the columns, and reads those that stay in memory.
func (r *rows) find(ctx context.Context, c table.Columns, limit int64) error {
	r.media = r.index(c.Path, isBytes)
	others := slices.DeleteFunc(slices.Clone(r.columns), func(c table.Column) bool { return !isBytes(c) })
	if r.media < 0 && len(others) == 1 && !c.Cells { // whatever its name
		r.media = slices.IndexFunc(r.columns, isBytes)
	}
	path := r.index(c.Path, isWord)
	if r.media < 0 && path < 0 && !c.Cells {
		return &spool.Error{Op: "list", Class: spool.ErrCorrupt, Text: fmt.Sprintf(
			"no column of media is called %s; there are %.200s", strings.Join(c.Path, ", "), strings.Join(r.Names(), ", "))}
	}
	label := r.index(c.Label, func(table.Column) bool { return true })
	if label >= 0 && !isWord(r.columns[label]) {
		return &spool.Error{Op: "read", Class: spool.ErrUnsupported, Err: table.ErrLabel, Text: fmt.Sprintf(
			"column %s is neither text nor integers (source.Options.Ignore with %[1]s leaves it out)", r.columns[label].Name)}
	}
	kept := []*text{}
	for _, x := range []struct {
		column int
		to     **text
	}{{path, &r.path}, {label, &r.label}, {r.index(c.Key, isWord), &r.key}} {
		if x.column >= 0 {
			*x.to = &text{column: x.column}
			kept = append(kept, *x.to)
		}
	}
	return r.keep(ctx, kept, limit)
}

// keep reads columns into memory.
func (r *rows) keep(ctx context.Context, columns []*text, limit int64) error {
	if len(columns) == 0 {
		return nil
	}
	in := r.file.Begin(ctx, true)
	defer in.Close()
	for k := range r.Len() {
		for _, t := range columns {
			cell, err := in.Cell(k, t.column)
			if err != nil {
				return err
			}
			if limit -= int64(len(cell.Data)) + 8; limit < 0 {
				return &spool.Error{Op: "read", Class: spool.ErrTooLarge, Text: "labels and keys beyond the limit of memory"}
			}
			t.add(cell.Data)
		}
	}
	return nil
}

// text is a column in memory, end to end.
type text struct {
	column int
	data   []byte
	ends   []int64
}

func (t *text) add(value []byte) {
	t.data = append(t.data, value...)
	t.ends = append(t.ends, int64(len(t.data)))
}

// at returns a value; empty if it is missing, or there is no column.
func (t *text) at(k int) string {
	if t == nil {
		return ""
	}
	from := int64(0)
	if k > 0 {
		from = t.ends[k-1]
	}
	return string(t.data[from:t.ends[k]])
}

// Len returns the number of samples.
func (r *rows) Len() int { return r.first[len(r.first)-1] }

// Names returns the names of the columns in lower case.
func (r *rows) Names() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = strings.ToLower(c.Name)
	}
	return names
}

// Row returns a row without its media.
func (r *rows) Row(k int) (table.Row, error) {
	x := table.Row{Path: r.path.at(k), Label: r.label.at(k), Key: r.key.at(k), Held: r.media >= 0}
	if x.Held && r.key == nil {
		x.Key = x.Path
	}
	return x, nil
}

// Labels yields the labels of all rows.
func (r *rows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range r.Len() {
			if !yield(r.label.at(k)) {
				return
			}
		}
	}
}

// Columns describes the columns.
func (c *cells) Columns() []table.Column { return c.columns }

// Cell returns a value.
func (c *cells) Cell(ctx context.Context, k int, column string) (table.Cell, error) {
	at := c.index([]string{column}, func(table.Column) bool { return true })
	if at < 0 {
		return table.Cell{}, nil
	}
	in := c.file.Begin(ctx, false)
	defer in.Close()
	return in.Cell(k, at)
}

// Sizes returns the number of rows of each part.
func (m *media) Sizes() []int { return m.file.Sizes() }

// Open returns the bytes of a row's sample.
func (m *media) Open(ctx context.Context, k int) (spool.Object, error) {
	in := m.file.Begin(ctx, false)
	defer in.Close()
	return in.Open(k, m.media)
}
