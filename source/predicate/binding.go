package predicate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/spoolmedia/spool/source/table"
)

// column is a column that a predicate names.
type column struct {
	written string // in the predicate
	name    string // in programs
	kind    table.ColumnKind
}

// binding makes conditions of the nodes of a predicate, and finds the columns that they name.
type binding struct {
	columns     []*column
	comparisons []*comparison // to be compiled once the kinds of columns are known
}

// condition returns the condition of a node, which it changes.
func (b *binding) condition(node ast.Node) condition {
	switch n := node.(type) {
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			return not{b.condition(n.Node)}
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&":
			return and{b.condition(n.Left), b.condition(n.Right)}
		case "or", "||":
			return or{b.condition(n.Left), b.condition(n.Right)}
		case "==":
			if names, ok := comparedWithNil(n); ok {
				return missing{b.column(names)}
			}
		case "!=":
			if names, ok := comparedWithNil(n); ok {
				return not{missing{b.column(names)}}
			}
		}
	}
	c := &comparison{text: node.String()}
	b.comparisons = append(b.comparisons, c)
	var compared bounded
	if n, ok := node.(*ast.BinaryNode); ok {
		if x, ok := newBounded(n, c); ok {
			compared = x
		}
		c.match = newMatch(n)
	}
	u := use{binding: b, comparison: c}
	u.replace(&node, false)
	c.needed = slices.DeleteFunc(c.needed, func(x *column) bool { return slices.Contains(u.asked, x) })
	c.source = node.String()
	if compared.comparison != nil {
		return compared
	}
	return c
}

// column returns the column that the names lead to.
func (b *binding) column(names []string) *column {
	written := strings.Join(names, ".")
	for _, c := range b.columns {
		if strings.EqualFold(c.written, written) {
			return c
		}
	}
	c := &column{written: written, name: fmt.Sprintf("column%d", len(b.columns))}
	b.columns = append(b.columns, c)
	return c
}

// use finds the columns of a comparison.
type use struct {
	*binding
	comparison *comparison
	local      []string  // names of variables
	asked      []*column // that are compared with nil
}

// replace puts the names of columns in programs into a node and those within it. A comparison needs no values of
// columns that are optional: it says itself what happens without.
func (u *use) replace(node *ast.Node, optional bool) {
	names, ok := path(*node)
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		if names, asked := comparedWithNil(n); asked {
			u.asked = append(u.asked, u.column(names))
		}
		u.replace(&n.Left, optional || n.Operator == "??")
		u.replace(&n.Right, optional)
		return
	case *ast.VariableDeclaratorNode:
		u.replace(&n.Value, optional)
		u.local = append(u.local, n.Name)
		u.replace(&n.Expr, optional)
		return
	}
	if !ok {
		for _, child := range children(*node) {
			u.replace(child, optional)
		}
		return
	}
	if slices.Contains(u.local, names[0]) {
		return
	}
	c := u.column(names)
	*node = &ast.IdentifierNode{Value: c.name}
	if x := u.comparison; !slices.Contains(x.columns, c) {
		x.columns = append(x.columns, c)
	}
	if x := u.comparison; !optional && !slices.Contains(x.needed, c) {
		x.needed = append(x.needed, c)
	}
}
