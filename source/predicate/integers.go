package predicate

import (
	"context"
	"math"

	"github.com/spoolmedia/spool/source/table"
)

// run is successive rows of a table, whose columns of whole numbers are read at once.
type run struct {
	ctx      context.Context //nolint:containedctx // of one call
	cells    table.Cells
	from, to int
	read     map[*column]*numbers // nil: the column cannot be read that way
}

// numbers are the values of a column of whole numbers in a run.
type numbers struct {
	values []int64
	there  []bool
}

func newRun(ctx context.Context, cells table.Cells, from, to int) *run {
	return &run{ctx, cells, from, to, map[*column]*numbers{}}
}

func (r *run) rows() int { return r.to - r.from }

// numbers returns the values of a column; nil if they have to be read as cells.
func (r *run) numbers(c *column) *numbers {
	if n, known := r.read[c]; known {
		return n
	}
	r.read[c] = nil
	cells, ok := r.cells.(table.Numbered)
	if !ok || c.kind != table.Whole {
		return nil
	}
	n := &numbers{make([]int64, r.rows()), make([]bool, r.rows())}
	if !cells.Integers(r.ctx, c.written, r.from, n.values, n.there) {
		return nil
	}
	r.read[c] = n
	return n
}

// over compares whole numbers with a constant, without the expression language.
func (b bounded) over(r *run) (t truths, ok bool) {
	least, greatest, ok := b.interval()
	if !ok {
		return b.comparison.over(r)
	}
	n := r.numbers(b.columns[0])
	if n == nil {
		return t, false
	}
	there := n.there[:len(n.values)]
	for i, v := range n.values {
		known := bit(there[i])
		within := bit(v >= least) & bit(v <= greatest)
		t.yes[i/64] |= known & within << (i % 64)
		t.no[i/64] |= known &^ within << (i % 64)
	}
	return t, true
}

// of is over for one row, if the rest of the predicate needs that.
func (b bounded) of(r *row) (truth, error) {
	least, greatest, ok := b.interval()
	n := r.run.numbers(b.columns[0])
	if !ok || n == nil {
		return b.comparison.of(r)
	}
	i := r.k - r.run.from
	if !n.there[i] {
		return unknown, nil
	}
	return truthOf(least <= n.values[i] && n.values[i] <= greatest), nil
}

// bit returns 1 for true. It needs no branch.
func bit(b bool) (one uint64) {
	if b {
		one = 1
	}
	return one
}

// exact is the greatest number up to which all whole numbers have a floating-point number of their own.
const exact = 1 << 53

// interval returns the least and the greatest whole number for which the comparison is true. They are in reverse order
// if there is none.
func (b bounded) interval() (least, greatest int64, ok bool) {
	var floor, ceil int64 // of the constant
	switch x := b.constant.(type) {
	case int:
		floor, ceil = int64(x), int64(x)
	case float64:
		if !(math.Abs(x) < exact) {
			return 0, 0, false
		}
		floor, ceil = int64(math.Floor(x)), int64(math.Ceil(x))
	default:
		return 0, 0, false
	}
	least, greatest = math.MinInt64, math.MaxInt64
	switch b.operator {
	case "==":
		least, greatest = ceil, floor
	case "<":
		if greatest = ceil - 1; ceil == math.MinInt64 {
			least, greatest = 1, 0
		}
	case "<=":
		greatest = floor
	case ">":
		if least = floor + 1; floor == math.MaxInt64 {
			least, greatest = 1, 0
		}
	default: // ">="
		least = ceil
	}
	return least, greatest, true
}
