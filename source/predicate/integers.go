package predicate

import (
	"cmp"
	"context"

	"github.com/spoolmedia/spool/source/table"
)

// numbers are the values of a column of whole numbers in successive rows.
type numbers struct {
	from   int
	values []int64
	there  []bool
}

// readNumbers reads the columns of whole numbers in the rows [from, to), if the table can.
func readNumbers(ctx context.Context, f *Filter, from, to int) map[*column]numbers {
	cells, ok := f.cells.(table.Numbered)
	if !ok {
		return nil
	}
	read := map[*column]numbers{}
	for _, c := range f.columns {
		n := numbers{from, make([]int64, to-from), make([]bool, to-from)}
		if c.kind == table.Whole && cells.Integers(ctx, c.written, from, n.values, n.there) {
			read[c] = n
		}
	}
	return read
}

// integer returns the value of a column of whole numbers. read is false if it has to be read as a cell.
func (r *row) integer(c *column) (value int64, there, read bool) {
	n, read := r.numbers[c]
	if !read {
		return 0, false, false
	}
	return n.values[r.k-n.from], n.there[r.k-n.from], true
}

// of compares a whole number with a constant, without the expression language.
func (b bounded) of(r *row) (truth, error) {
	value, there, read := r.integer(b.columns[0])
	var order int
	switch constant := b.constant.(type) {
	case int:
		order = cmp.Compare(value, int64(constant))
	case float64:
		order = cmp.Compare(float64(value), constant)
	default:
		read = false
	}
	switch {
	case !read:
		return b.comparison.of(r)
	case !there:
		return unknown, nil
	}
	switch b.operator {
	case "==":
		return truthOf(order == 0), nil
	case "<":
		return truthOf(order < 0), nil
	case "<=":
		return truthOf(order <= 0), nil
	case ">":
		return truthOf(order > 0), nil
	}
	return truthOf(order >= 0), nil // ">="
}
