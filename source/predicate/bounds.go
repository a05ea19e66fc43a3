package predicate

import (
	"cmp"
	"iter"
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
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// withConstant returns the operator and the constant of a comparison of a column with a constant, as if that were on
// the right. The operator is empty for other nodes.
func withConstant(n *ast.BinaryNode) (operator string, constant any) {
	operator, side := n.Operator, n.Left
	constant, ok := constantOf(n.Right)
	if !ok {
		constant, ok = constantOf(n.Left)
		operator, side = mirrored[operator], n.Right
	}
	if _, isName := path(side); !isName || !ok {
		return "", nil
	}
	return operator, constant
}

// newBounded returns the comparison of a node, if bounds may exclude it.
func newBounded(n *ast.BinaryNode, c *comparison) (bounded, bool) {
	operator, constant := withConstant(n)
	return bounded{c, operator, constant}, mirrored[operator] != "" && operator != "!="
}

// newMatch returns the comparison of a node with text, or nil.
func newMatch(n *ast.BinaryNode) func(text []byte) bool {
	operator, constant := withConstant(n)
	if text, ok := constant.(string); ok {
		return matchOf(operator, text)
	}
	return nil
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

// between yields the ranges of rows [from, to) that are in no such part.
func (s skips) between(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		part, _ := slices.BinarySearch(s.ends, from+1)
		for ; from < to && part < len(s.ends); part++ {
			if s.none[part] {
				from = max(from, s.ends[part])
				continue
			}
			for part+1 < len(s.ends) && !s.none[part+1] && s.ends[part] < to {
				part++
			}
			end := min(s.ends[part], to)
			if from < end && !yield(from, end) {
				return
			}
			from = end
		}
		if len(s.ends) == 0 {
			yield(from, to)
		}
	}
}
