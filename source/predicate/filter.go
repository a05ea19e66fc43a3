package predicate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/parser"

	"github.com/spoolmedia/spool/internal/nearest"
	"github.com/spoolmedia/spool/source/table"
)

// Filter is a predicate for one table. It is safe for concurrent use.
type Filter struct {
	cells   table.Cells
	root    condition
	columns []*column
}

// Bind finds the columns of a predicate in a table, and their types, and checks the predicate with these. It reads the
// columns that the predicate names, unless the table knows their types. Errors of the predicate are *Error.
func (p *Predicate) Bind(ctx context.Context, cells table.Cells) (*Filter, error) {
	tree, err := parser.Parse(p.text) // each filter changes its own
	if err != nil {
		return nil, problem("%s", firstLine(err))
	}
	b := &binding{}
	f := &Filter{cells: cells, root: b.condition(tree.Node), columns: b.columns}
	if err := f.readKinds(ctx); err != nil {
		return nil, err
	}
	var problems []error
	for _, c := range b.comparisons {
		problems = append(problems, c.compile())
	}
	if err := errors.Join(problems...); err != nil {
		return nil, problem("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return f, nil
}

// readKinds finds the types of columns.
func (f *Filter) readKinds(ctx context.Context) error {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.written
	}
	kinds, err := table.ColumnKinds(ctx, f.cells, names)
	if err != nil {
		return err
	}
	for i, c := range f.columns {
		c.kind = kinds[i]
		if _, known := table.ColumnOf(f.cells, c.written); !known && c.kind == table.NoValues {
			return noColumn(c.written, f.cells.Columns())
		}
	}
	return nil
}

// noColumn returns the error of a column that no row has.
func noColumn(written string, columns []table.Column) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	const most = 12
	text := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	text = fmt.Sprintf("no column is called %s; there are %s", written, text)
	switch near := nearest.Word(written, names); {
	case strings.EqualFold(written, "null") || strings.EqualFold(written, "none"):
		text += "; a missing value is nil"
	case near != "":
		text += "; did you mean " + near + "?"
	}
	return problem("%s", text)
}

// Rows returns the rows for which the predicate is true. Rows that cannot be read are among them: loading
// reports what is wrong with each. Parts of a table whose bounds exclude all rows are not read. Errors of the predicate
// are *Error, and name the row.
func (f *Filter) Rows(ctx context.Context) (*table.RowSet, error) {
	words := make([]uint64, (f.cells.Len()+63)/64)
	skips := f.skips()
	err := table.Together(ctx, f.cells.Len(), func(_, from, to int) error {
		for from, to := range skips.between(from, to) { // a run has words of its own
			run := newRun(ctx, f.cells, from, to)
			t, ok := f.root.over(run)
			if !ok {
				var err error
				if t.yes, err = f.oneByOne(run); err != nil {
					return err
				}
			}
			t.yes.copyTo(words, from)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return table.NewRowSet(words), nil
}

// oneByOne returns the rows of a run for which the predicate is true, and those that cannot be read.
func (f *Filter) oneByOne(run *run) (kept bitmap, err error) {
	r := &row{ctx: run.ctx, cells: f.cells, values: map[string]any{}, run: run}
	for i := range run.rows() {
		keep, err := r.keep(run.from+i, f.root)
		if err != nil {
			return kept, err
		}
		kept[i/64] |= bit(keep) << (i % 64)
	}
	return kept, nil
}
