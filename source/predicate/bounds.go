package predicate

import (
	"cmp"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/spoolmedia/spool/source/table"
)

// bounded is a comparison of a column with a constant, which bounds of the column may exclude.
type bounded struct {
	*comparison
	operator string
	constant any // int, float64 or string
}

// mirrored are the operators for exchanged sides.
var mirrored = map[string]string{"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// newBounded returns the comparison of a node, if it has that form.
func newBounded(n *ast.BinaryNode, c *comparison) (bounded, bool) {
	operator, side := n.Operator, n.Left
	constant, ok := constantOf(n.Right)
	if !ok {
		constant, ok = constantOf(n.Left)
		operator, side = mirrored[operator], n.Right
	}
	_, isName := path(side)
	return bounded{c, operator, constant}, ok && isName && mirrored[operator] != ""
}

// constantOf returns the value of a number or of text.
func constantOf(node ast.Node) (any, bool) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.UnaryNode:
		switch value, _ := constantOf(n.Node); x := value.(type) {
		case int:
			return -x, n.Operator == "-"
		case float64:
			return -x, n.Operator == "-"
		}
	}
	return nil, false
}

// bounds returns the bounds of a column in a part of a table.
type bounds func(column string) (least, greatest table.Cell, ok bool)

// excluded reports whether a condition is true for no row of a part with these bounds.
func excluded(c condition, of bounds) bool {
	switch c := c.(type) {
	case and:
		return excluded(c.left, of) || excluded(c.right, of)
	case or:
		return excluded(c.left, of) && excluded(c.right, of)
	case bounded:
		return c.excluded(of)
	}
	return false
}

func (b bounded) excluded(of bounds) bool {
	column := b.columns[0]
	least, greatest, ok := of(column.written)
	if !ok {
		return false
	}
	low, okLow := compare(valueOf(least, column.kind), b.constant)
	high, okHigh := compare(valueOf(greatest, column.kind), b.constant)
	if !okLow || !okHigh {
		return false
	}
	switch b.operator {
	case "==":
		return low > 0 || high < 0
	case "<":
		return low >= 0
	case "<=":
		return low > 0
	case ">":
		return high <= 0
	}
	return high < 0 // ">="
}

// compare compares two numbers, or two texts. ok is false for other values.
func compare(a, b any) (order int, ok bool) {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return cmp.Compare(x, y), ok
	case int:
		switch y := b.(type) {
		case int:
			return cmp.Compare(x, y), true
		case float64:
			return cmp.Compare(float64(x), y), true
		}
	case float64:
		switch y := b.(type) {
		case int:
			return cmp.Compare(x, float64(y)), true
		case float64:
			return cmp.Compare(x, y), true
		}
	}
	return 0, false
}

// skips are the parts of a table that have no row for which a predicate is true.
type skips struct {
	ends []int // of all parts
	none []bool
}

func (f *Filter) skips() (s skips) {
	cells, ok := f.cells.(table.Bounded)
	if !ok {
		return s
	}
	end := 0
	for part, n := range cells.Sizes() {
		end += n
		s.ends = append(s.ends, end)
		s.none = append(s.none, excluded(f.root, func(column string) (least, greatest table.Cell, ok bool) {
			return cells.Bounds(part, column)
		}))
	}
	return s
}

// next returns the first row from k on that is not in such a part. It may be beyond all rows.
func (s skips) next(k int) int {
	for part, _ := slices.BinarySearch(s.ends, k+1); part < len(s.ends) && s.none[part]; part++ {
		k = s.ends[part]
	}
	return k
}
