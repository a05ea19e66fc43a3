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
	text string
	root ast.Node
}

// Parse reads a predicate, without knowing the columns. Errors are *Error.
func Parse(text string) (*Predicate, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, problem("%s", firstLine(err))
	}
	return &Predicate{text, tree.Node}, nil
}

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
