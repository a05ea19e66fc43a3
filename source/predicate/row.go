package predicate

import (
	"context"
	"errors"
	"fmt"

	"github.com/expr-lang/expr/vm"

	"github.com/spoolmedia/spool/source/table"
)

// row is the values of a row, of the columns that were needed so far. It is used again for the next row.
type row struct {
	ctx     context.Context //nolint:containedctx // of one call
	cells   table.Cells
	k       int
	values  map[string]any // by the names in programs
	run     *run
	machine vm.VM
}

// keep reports whether a condition is true for row k.
func (r *row) keep(k int, c condition) (bool, error) {
	r.k = k
	clear(r.values)
	t, err := c.of(r)
	var wrong *Error
	switch {
	case r.ctx.Err() != nil:
		return false, r.ctx.Err()
	case errors.As(err, &wrong):
		return false, problem("row %d: %s", k+1, wrong.text)
	}
	return t == yes || err != nil, nil
}

// value returns the value of a column, which is nil if it is missing.
func (r *row) value(c *column) (any, error) {
	if value, known := r.values[c.name]; known {
		return value, nil
	}
	var value any
	if n := r.run.numbers(c); n != nil {
		if i := r.k - r.run.from; n.there[i] {
			value = int(n.values[i])
		}
	} else {
		cell, err := r.cells.Cell(r.ctx, r.k, c.written)
		if err != nil {
			return nil, err
		}
		value = valueOf(cell, c.kind)
	}
	r.values[c.name] = value
	return value, nil
}

// Error is a problem of a predicate: its text, or its use of columns.
type Error struct{ text string }

func problem(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Error returns one line.
func (e *Error) Error() string { return e.text }
