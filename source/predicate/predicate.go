package predicate

import (
	"errors"
	"fmt"
	"strings"

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
	p := &Predicate{text: text}
	b := &binding{}
	b.condition(tree.Node)
	for _, c := range b.columns {
		p.columns = append(p.columns, c.written)
	}
	return p, nil
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
