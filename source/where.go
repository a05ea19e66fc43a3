package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/predicate"
	"github.com/spoolmedia/spool/source/table"
)

// where selects rows of tables, by Options.Where and Options.WhereRow. The zero value selects all.
type where struct {
	text *predicate.Predicate
	row  func(Row) (bool, error)
}

// where returns the conditions of valid options.
func (o Options) where() where {
	w := where{row: o.WhereRow}
	if o.Where != "" {
		w.text, _ = predicate.Parse(o.Where)
	}
	return w
}

// all reports whether every row is selected.
func (w where) all() bool { return w.text == nil && w.row == nil }

// rows returns the selected rows of a table.
func (w where) rows(ctx context.Context, cells table.Cells) (*table.RowSet, error) {
	var rows *table.RowSet // nil: all
	if w.text != nil {
		f, err := w.text.Bind(ctx, cells)
		if err != nil {
			return nil, err
		}
		if rows, err = f.Rows(ctx); err != nil {
			return nil, err
		}
	}
	if w.row == nil {
		return rows, nil
	}
	words := make([]uint64, (cells.Len()+63)/64)
	keep := func(k int) error {
		keep, err := w.row(Row{ctx, cells, k})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", k+1, err)
		}
		if keep {
			words[k/64] |= 1 << (k % 64)
		}
		return nil
	}
	for k := range candidates(rows, cells.Len()) {
		if err := keep(k); err != nil {
			return nil, err
		}
	}
	return table.NewRowSet(words), nil
}

// candidates yields rows, or all n without.
func candidates(rows *table.RowSet, n int) iter.Seq[int] {
	if rows != nil {
		return rows.All()
	}
	return func(yield func(int) bool) {
		for k := range n {
			if !yield(k) {
				return
			}
		}
	}
}

// selectedRows opens a manifest with all of its columns, and returns the rows that are loaded, or nil if all are.
func (l *lister) selectedRows(name string) (*selection, error) {
	m, err := readManifest(l.ctx, name, l.partOpener(), table.Columns{Cells: true})
	if err != nil {
		return nil, err
	}
	cells, ok := m.rows.(table.Cells)
	if !ok {
		return nil, errNoCells
	}
	return l.selected(name, cells)
}

// selected returns the rows of a table that are loaded, or nil if all are.
func (l *lister) selected(name string, cells table.Cells) (*selection, error) {
	rows, err := l.where.rows(l.ctx, cells)
	if err != nil {
		return nil, l.opts.whereError(name, err)
	}
	l.skipped.Rows += cells.Len() - rows.Len()
	switch rows.Len() {
	case 0:
		return nil, &spool.Error{Op: "list", Class: spool.ErrEmpty,
			Text: fmt.Sprintf("none of the %d rows is selected by source.Options.Where", cells.Len())}
	case cells.Len():
		return nil, nil
	}
	return newSelection(rows, cells), nil
}

// whereError returns an error of Options.Where, or of reading the columns of a table for it.
func (o Options) whereError(name string, err error) error {
	if wrong, ok := errors.AsType[*predicate.Error](err); ok {
		return &spool.OptionError{Options: []spool.Option{{Name: "Where", Value: o.Where}},
			Text: spool.Redacted(name) + ": " + wrong.Error()}
	}
	return err
}

// refuses reports a root that has no columns, if Options.Where needs some.
func (l *lister) refuses(name string) bool {
	if l.where.all() {
		return false
	}
	l.problems.add(refusedIn(name, "source.Options.Where selects rows of tables by their columns, and this is no table"))
	return true
}

// selection is rows of a table, in order.
type selection struct {
	kept   *table.RowSet
	counts []int // how many there are of each part of the table; nil if it has no parts
}

func newSelection(rows *table.RowSet, cells table.Cells) *selection {
	s := &selection{kept: rows}
	parted, ok := cells.(table.Parted)
	if !ok {
		return s
	}
	sizes := parted.Sizes()
	s.counts = make([]int, len(sizes))
	part, end := -1, 0
	for k := range rows.All() {
		for k >= end {
			part++
			end += sizes[part]
		}
		s.counts[part]++
	}
	return s
}

// selectedManifest is the selected rows of a manifest.
type selectedManifest struct {
	*manifest
	*selection
}

func (s selectedManifest) len() int { return s.kept.Len() }

// labels reads the labels of all rows between the first and the last one, in runs, and keeps those that are selected.
func (s selectedManifest) labels(from int, labels []int64) bool {
	var run [table.RunRows]int64
	begin, end := 0, 0 // of the run
	for row := range s.kept.From(from) {
		if row >= end {
			if begin, end = row, min(row+len(run), s.manifest.len()); !s.manifest.labels(begin, run[:end-begin]) {
				return false
			}
		}
		labels[0] = run[row-begin]
		if labels = labels[1:]; len(labels) == 0 {
			break
		}
	}
	return true
}

func (s selectedManifest) sizes() []int { return s.counts }

func (s selectedManifest) item(k int) Item { return s.manifest.item(s.kept.At(k)) }

func (s selectedManifest) placement(k int) Placement { return s.manifest.placement(s.kept.At(k)) }

func (s selectedManifest) open(ctx context.Context, k int) (spool.Object, error) {
	return s.manifest.open(ctx, s.kept.At(k))
}

func (s selectedManifest) segment(ctx context.Context, k int) (*Segment, error) {
	return s.manifest.segment(ctx, s.kept.At(k))
}

// selectedRecords is the selected rows of a table of records.
type selectedRecords struct {
	*recordTable
	*selection
}

func (s selectedRecords) len() int { return s.kept.Len() }

func (s selectedRecords) sizes() []int { return s.counts }

func (s selectedRecords) item(k int) Item { return s.recordTable.item(s.kept.At(k)) }

func (s selectedRecords) segment(ctx context.Context, k int) (*Segment, error) {
	return s.recordTable.segment(ctx, s.kept.At(k))
}

func (s selectedRecords) openInput(ctx context.Context, k, input int) (spool.Object, error) {
	return s.recordTable.openInput(ctx, s.kept.At(k), input)
}

// Selection identifies the rows of tables that Options.Where selects: the same text means the same rows. It is empty if
// no row is left out.
func (l *Listing) Selection() string {
	sum, found := sha256.New(), false
	for g := range l.groups {
		var kept *table.RowSet
		switch c := l.groups[g].container.(type) {
		case selectedManifest:
			kept = c.kept
		case recordContainer:
			if s, ok := c.records.(selectedRecords); ok {
				kept = s.kept
			}
		}
		if kept != nil {
			found = true
			text := make([]byte, 0, 64<<10)
			text = binary.LittleEndian.AppendUint32(text, uint32(g))
			text = binary.LittleEndian.AppendUint32(text, uint32(kept.Len()))
			for k := range kept.All() {
				if text = binary.LittleEndian.AppendUint32(text, uint32(k)); len(text) == cap(text) {
					sum.Write(text)
					text = text[:0]
				}
			}
			sum.Write(text)
		}
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Row is a row of a table, for Options.WhereRow.
type Row struct {
	ctx   context.Context //nolint:containedctx // of the call that lists
	cells table.Cells
	k     int
}

// Columns describes the columns of the table. Callers must not change the slice.
func (r Row) Columns() []table.Column { return r.cells.Columns() }

// Value returns the value of a column; nil if the row has none, or the table has no such column. The case of the name
// is ignored, and a dot leads into structures. Values are int, float64, string, bool, []byte, []any or map[string]any;
// those of CSV and TSV are strings.
func (r Row) Value(column string) (any, error) {
	cell, err := r.cells.Cell(r.ctx, r.k, column)
	if err != nil {
		return nil, err
	}
	return predicate.Value(cell), nil
}
