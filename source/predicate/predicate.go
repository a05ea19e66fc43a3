package predicate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Predicate is a condition on the columns of a table. It is immutable and safe for concurrent use.
type Predicate struct {
	text    string
	columns []string
}

// Parse reads a predicate, without knowing the columns. Errors are *Error.
func Parse(text string) (*Predicate, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, problem("%s", firstLine(err))
	}
	if call := ast.Find(tree.Node, callsMethod); call != nil {
		return nil, problem("%s: values have no methods", call)
	}
	p := &Predicate{text: text}
	b := &binding{}
	b.condition(tree.Node)
	for _, c := range b.columns {
		p.columns = append(p.columns, c.written)
	}
	return p, nil
}

// callsMethod reports whether a node calls anything but a function of the language. tools/sdk links the library without
// the methods of values, since the linker keeps all methods of a program that finds some by name.
func callsMethod(node ast.Node) bool {
	call, ok := node.(*ast.CallNode)
	if !ok {
		return false
	}
	_, function := call.Callee.(*ast.IdentifierNode)
	return !function
}

// Columns returns the names of the columns, as they are written. Callers must not change the slice.
func (p *Predicate) Columns() []string { return p.columns }

// String returns the text.
func (p *Predicate) String() string { return p.text }

// firstLine returns the text of the library's error, with the position but without the line of the predicate.
func firstLine(err error) string {
	if e, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Sprintf("%s at character %d", e.Message, e.Column+1)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
